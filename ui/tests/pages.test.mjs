// Every page in light and dark on a phone, a laptop and a large screen: no console error, nothing wider than the
// window, no serious violation of accessibility; pictures are kept where GANNET_SHOTS says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { axe, fits, shot, start, until } from './world.mjs';

const sizes = [
  ['light', 360, 740],
  ['dark', 360, 740],
  ['light', 1280, 800],
  ['dark', 1280, 800],
  ['light', 2560, 1400],
  ['dark', 2560, 1400],
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

  await t.test('signed out, it says what to do', async () => {
    const browser = await world.chromium();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(world.base);
    await page.getByText('gannet signin').waitFor();
    await axe(page, 'sign-in');
    await shot(page, 'sign-in');
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
