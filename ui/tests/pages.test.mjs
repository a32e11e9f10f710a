// Every page in light and dark on a phone, a laptop and a large screen: no console error, nothing wider than the
// window, no serious violation of accessibility; pictures are kept where GANNET_SHOTS says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { axe, fits, shot, start, until } from './world.mjs';

/** Nothing to scroll to below the page's end. */
async function ends(page, name) {
  const blank = await page.evaluate(() => document.documentElement.scrollHeight - Math.max(innerHeight, document.querySelector('main, body').getBoundingClientRect().bottom + scrollY));
  // On phones the rail lies at the bottom.
  assert.ok(blank < 80, `${name}: ${blank} px of nothing below the page`);
}

const sizes = [
  ['light', 360, 740],
  ['dark', 360, 740],
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 2560, 1400],
  ['dark', 2560, 1400],
  ['light', 3840, 2160],
];

test('every page is whole, readable and quiet', async (t) => {
  const world = await start(t);
  const page = await world.page();
  await page.goto(world.base);

  // One visit, then each size and colour: what differs is drawn anew by the same page.
  const check = (name, path, ready) =>
    t.test(name, async () => {
      page.errors.length = 0;
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.goto(world.base + path);
      await ready?.(page);
      await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
      for (const [scheme, width, height] of sizes) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize({ width, height });
        await page.waitForTimeout(200);
        await shot(page, `${name}-${width}-${scheme}`);
        await fits(page, `${name} at ${width} px`);
        await ends(page, `${name} at ${width} px`);
        if ((scheme === 'dark') === (width === 360)) await axe(page, `${name}, ${scheme}, ${width} px`);
      }
      assert.deepEqual(page.errors, [], name);
    });

  const heading = () => page.locator('h1').first().waitFor({ state: 'attached' });
  await check('home-empty', '/', () => page.getByRole('button', { name: /Use this sample/ }).first().waitFor());

  const demo = await world.demo(page);
  const samples = (await world.api(page, 'GET', '/samples')).data.items;
  const made = (await world.api(page, 'POST', `/samples/${samples[0].id}`, {})).data;
  const run = (await world.api(page, 'POST', `/projects/${made.name}/runs`, {})).data;
  await until('the sample to be crawled', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 120);
  const other = (await world.api(page, 'POST', `/samples/${samples[1].id}`, {})).data;
  await world.api(page, 'POST', '/tokens', { name: 'nightly export' });

  const project = `/projects/${encodeURIComponent(made.name)}`;
  await check('home', '/', heading);
  await check('new-empty', '/new', () => page.getByText('Paste an address').waitFor());
  await check('new', `/new?url=${encodeURIComponent(`${demo}shop/tents/`)}`, () => page.locator('iframe').waitFor({ state: 'attached' }));
  await check('new-failed', `/new?url=${encodeURIComponent('http://10.0.0.1/')}`, () => page.getByText('could not be fetched').waitFor());
  await check('projects', '/projects', heading);
  for (const tab of ['', '/fields', '/settings', '/runs', '/data', '/index', '/map']) await check(`project${tab.replace('/', '-')}`, project + tab, heading);
  await check('project-yaml', `${project}/settings?view=yaml`, () => page.getByLabel('The project as YAML').waitFor());
  await check('project-new', `/projects/${encodeURIComponent(other.name)}`, heading);
  await check('runs', '/runs', heading);
  for (const tab of ['live', 'pages', 'rows', 'links', 'changes', 'duplicates', 'log', 'settings']) await check(`run-${tab}`, `/runs/${run.id}?tab=${tab}`, heading);
  await check('simulator', '/simulator', heading);
  await check('search-all', '/search', heading);
  await check('search', `/search/${encodeURIComponent(made.name)}?q=tent`, heading);
  await check('search-none', `/search/${encodeURIComponent(made.name)}?q=zzzzqqq`, heading);
  await check('settings', '/settings', () => page.getByText('nightly export').waitFor());
  for (const name of ['guide', 'project', 'search']) await check(`help-${name}`, `/help/${name}`, () => page.locator('article h1').waitFor());
  await check('lost', '/no/such/page', heading);
  await check('api', '/api', heading);
  await check('plain-search', `/s/${encodeURIComponent(made.name)}?q=tent`, heading);

  await t.test('a sample can be tried later too; a file with a mistake is told of it once, in plain words', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gannet-bad-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'bad.yaml');
    writeFileSync(file, 'version: 1\nproject: bad\nstart: [http://shop.test/]\ncrawl:\n  rat: 3/s\n');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(world.base);
    await page.locator('input[type=file]').setInputFiles(file);
    const problem = page.getByRole('alert');
    await problem.getByText('The file was not imported: it has a mistake').waitFor();
    const said = await problem.innerText();
    assert.equal(said.split('did you mean "rate"').length, 2, said);
    assert.match(said, /line 5, column 3/);
    assert.doesNotMatch(said, /Unprocessable/);
    await page.getByRole('button', { name: 'or try a sample' }).click();
    await page.getByRole('button', { name: /Use this sample/ }).first().waitFor();
    await axe(page, 'samples beside projects');
    await shot(page, 'home-import-samples');
  });

  await t.test('a search for rows and pages shows each thing once, and a table has the columns of its rows', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${world.base}/search/${encodeURIComponent(made.name)}?q=tent`);
    const links = page.locator('ol .title, td.first .title');
    await links.first().waitFor();
    const urls = await links.evaluateAll((all) => all.map((one) => one.href));
    assert.equal(new Set(urls).size, urls.length, urls.join(' '));
    // Products come with their fields, the page of the list as it is.
    assert.ok((await page.locator('ol > li', { hasText: 'price' }).count()) > 5, 'hits with a price');
    await shot(page, 'search-folded');
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('columnheader', { name: 'price', exact: true }).waitFor();
    await page.getByText('Only rows').waitFor();
    const rows = (await world.api(page, 'GET', `/indexes/${made.name}/search?q=tent&filter=kind:row&limit=1`)).data.total;
    assert.match(await page.locator('.count').innerText(), new RegExp(`^${rows} hits`));
    // On a phone each value stands below the other.
    await page.setViewportSize({ width: 375, height: 740 });
    const cut = await page.getByRole('region', { name: 'Table' }).evaluate((one) => one.scrollWidth - one.clientWidth);
    assert.ok(cut <= 1, `${cut} px of the table are cut`);
    await shot(page, 'search-table-375');
    await page.getByRole('link', { name: 'Pages too' }).click();
    await page.locator('ol.list').waitFor();
    const heights = await page.locator('ol.list > li').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    assert.ok(Math.max(...heights) < 8 * 24, `hits of ${heights.join(', ')} px`);
    await shot(page, 'search-list-375');
  });

  await t.test('on a phone a run has two buttons and a menu, which stays in the window', async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    await page.goto(`${world.base}/runs/${run.id}`);
    const menu = page.locator('main summary', { hasText: 'More' });
    await menu.click();
    const list = page.locator('main details[open] .list');
    await list.getByRole('button', { name: 'curl' }).waitFor();
    const box = await list.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 375, JSON.stringify(box));
    assert.ok((await page.locator('main header > .row > *').count()) <= 3);
    // On a laptop a menu does not lie over the rail.
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.reload();
    await page.locator('main summary', { hasText: 'Copy as' }).click();
    const rail = await page.locator('nav').first().boundingBox();
    await until('a menu beside the rail', async () => (await list.boundingBox()).x >= rail.x + rail.width, 5);
  });

  await t.test('outlines stay on the rows when the window changes', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(`${world.base}/new?url=${encodeURIComponent(`${demo}shop/tents/`)}`);
    for (const width of [1280, 3840, 2560, 1280]) {
      await page.setViewportSize({ width, height: 1000 });
      const astray = () =>
        page.evaluate(() => {
          const rows = [...(document.querySelector('iframe')?.contentDocument.querySelectorAll('ul.products > li') ?? [])];
          const boxes = [...document.querySelectorAll('.sheet svg rect')].map((one) => [Number(one.getAttribute('x')), Number(one.getAttribute('y'))]);
          if (rows.length === 0) return 'no rows';
          return rows.filter((row) => {
            const at = row.getBoundingClientRect();
            return !boxes.some(([x, y]) => Math.abs(x - at.x) < 2 && Math.abs(y - at.y) < 2);
          }).length;
        });
      await until(`outlines at ${width} px`, async () => (await astray()) === 0, 10);
    }
  });

  await t.test('signed out, it says what to do', async () => {
    const browser = await world.chromium();
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(world.base);
    await page.getByText('gannet signin').waitFor();
    for (const [scheme, width, height] of sizes) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height });
      await fits(page, `sign-in at ${width} px`);
      await axe(page, `sign-in, ${scheme}, ${width} px`);
      await shot(page, `sign-in-${width}-${scheme}`);
    }
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), 'I have signed in');
    await page.keyboard.press('Enter');
    await page.getByText('gannet signin').waitFor();
    assert.deepEqual(errors, [], 'nobody is signed in: no error');
    await page.goto(world.link);
    await shot(page, 'sign-in-used');
    assert.match(await page.locator('body').innerText(), /gannet signin/);
    await context.close();
  });

  await t.test('the palette jumps by keys, and every page can be reached without a mouse', async () => {
    const page = await world.page();
    await page.goto(world.base);
    await page.getByLabel('Address of a page').waitFor();
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox');
    await box.waitFor();
    await page.keyboard.type(made.name);
    await page.getByRole('option').first().waitFor();
    await axe(page, 'palette');
    await shot(page, 'palette');
    await page.keyboard.press('Enter');
    await page.waitForURL(new RegExp(`/projects/${made.name}`));
    // Tab goes through the rail; each stop can be seen.
    await page.goto(world.base);
    await page.getByLabel('Address of a page').waitFor();
    await page.evaluate(() => document.activeElement?.blur());
    const reached = new Set();
    for (let i = 0; i < 16; i += 1) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const one = document.activeElement;
        const style = getComputedStyle(one);
        return { href: one.getAttribute('href'), outline: style.outlineStyle !== 'none' || style.boxShadow !== 'none' || getComputedStyle(one.closest('form') ?? one).boxShadow !== 'none', tag: one.outerHTML.slice(0, 80) };
      });
      if (at.tag.startsWith('<body')) continue;
      assert.ok(at.outline, `focus cannot be seen: ${at.tag}`);
      if (at.href) reached.add(at.href);
    }
    for (const href of ['/new', '/projects', '/runs', '/search', '/simulator', '/settings', '/help']) assert.ok(reached.has(href), `${href} by Tab`);
  });
});
