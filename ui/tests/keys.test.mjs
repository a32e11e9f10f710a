// Keyboard alone: on every page Tab reaches whatever can be used, the focus can be seen, nothing holds it; and the main
// thing that each page is for is done by keys.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { start, until } from './world.mjs';

/** More steps than any page has stops. */
const MOST = 900;

/** Where the focus is: its name, and whether it can be seen. Marks it as met. */
const look = () => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const again = one.matches('[data-met]');
  one.setAttribute('data-met', '');
  const drawn = (element) => {
    const style = getComputedStyle(element);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== 'none';
  };
  const box = one.getBoundingClientRect();
  return {
    again,
    frame: one.tagName === 'IFRAME',
    seen: drawn(one) || (one.closest('form, .box, .editor, label') && drawn(one.closest('form, .box, .editor, label'))),
    inside: box.width > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth,
    html: one.outerHTML.slice(0, 140),
  };
};

/** What can be used and was not met. Of tables that draw what is in sight, the keys of the table count. */
const missed = () => {
  const usable = 'a[href], button:not(:disabled), input:not(:disabled):not([type=hidden]), select:not(:disabled), textarea:not(:disabled), summary';
  // What is behind an open dialog cannot be used.
  const all = [...(document.querySelector('dialog:modal') ?? document).querySelectorAll(usable)];
  const there = all.filter((one) => one.checkVisibility({ checkVisibilityCSS: true, checkOpacity: true }) && !one.closest('[inert], [aria-hidden=true]'));
  // One of a group of radio buttons has the focus; the arrows go to the others. A logo beside a link to the same page is no stop of its own.
  const counted = there.filter((one) => !one.matches('[data-met], .brand, [type=radio]') && !one.closest('[role=grid] [role=rowgroup]') && !(one.tabIndex < 0 && one.closest('[role=listbox], [role=tree], form')));
  return counted.map((one) => one.outerHTML.slice(0, 140));
};

/** Walks once through a page by Tab. */
async function walk(page, name) {
  await page.evaluate(() => {
    document.querySelectorAll('[data-met]').forEach((one) => one.removeAttribute('data-met'));
  });
  let stops = 0;
  let framed = 0;
  let ends = 0;
  for (let step = 0; step < MOST; step += 1) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(look);
    if (at === null) {
      // The end: Tab goes on at the beginning.
      ends += 1;
      if (ends > 1) break;
      continue;
    }
    if (at.frame) {
      framed += 1;
      assert.ok(framed < 400, `${name}: the page in the frame holds the focus`);
      continue;
    }
    if (at.again) break;
    stops += 1;
    assert.ok(at.seen, `${name}: the focus cannot be seen: ${at.html}`);
    if (!at.inside) await until(`${name}: the focus is in sight: ${at.html}`, () => page.evaluate(look).then((now) => now?.inside), 2);
  }
  assert.ok(stops > 0, `${name}: nothing has the focus`);
  assert.deepEqual(await page.evaluate(missed), [], `${name}: not reached by Tab`);
}

/** Tabs to what a locator finds. */
async function to(page, wanted, what) {
  await wanted.first().waitFor();
  for (let step = 0; step < MOST; step += 1) {
    if (await wanted.first().evaluate((one) => one === document.activeElement || (one.contains(document.activeElement) && document.activeElement.matches('a, button, input')))) return;
    await page.keyboard.press('Tab');
  }
  assert.fail(`${what}: not reached by Tab`);
}

/** Tabs there and presses Enter. */
async function press(page, wanted, what, key = 'Enter') {
  await to(page, wanted, what);
  await page.keyboard.press(key);
}

test('everything is done by keys alone', async (t) => {
  const world = await start(t);
  const page = await world.page();
  // No click, no pointer: whatever happens below happens by keys.
  await page.goto(world.base);
  const demo = await world.demo(page);
  const button = (name) => page.getByRole('button', { name });
  const link = (name) => page.getByRole('link', { name });
  let run = '';
  let project = '';
  let broken = false;
  // Each step goes on where the one before ended.
  const step = (name, does) =>
    t.test(name, async (t) => {
      if (broken) return t.skip('an earlier step failed');
      broken = true;
      await does();
      broken = false;
    });

  await step('home: an address and Enter', async () => {
    await button(/Use this sample/).first().waitFor();
    await walk(page, 'home, empty');
    await to(page, page.getByLabel('Address of a page'), 'the address box');
    await page.keyboard.type(`${demo}shop/tents/`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/new\?url=/);
    await page.locator('iframe').waitFor({ state: 'attached' });
  });

  await step('new: fields by the path list, then Crawl', async () => {
    await button('Crawl').first().waitFor();
    await until('rows', async () => (await page.getByRole('row').count()) > 3);
    await walk(page, 'new');
    await press(page, button('Crawl'), 'Crawl');
    await page.waitForURL(/\/runs\/\d+/);
    run = new URL(page.url()).pathname;
    await until('the run to end', async () => (await world.api(page, 'GET', `/runs/${run.split('/').pop()}`)).data.state === 'completed', 120);
    project = (await world.api(page, 'GET', `/runs/${run.split('/').pop()}`)).data.project;
  });

  for (const tab of ['live', 'pages', 'rows', 'links', 'changes', 'duplicates', 'log', 'settings']) {
    await step(`run: ${tab}`, async () => {
      await page.goto(`${world.base}${run}?tab=${tab}`);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
      await walk(page, `run, ${tab}`);
    });
  }

  await step('run: the arrows go along the tabs; a page tells why; Escape gives the focus back', async () => {
    await page.goto(`${world.base}${run}?tab=live`);
    const tabs = page.getByRole('navigation').filter({ has: link(/^Log/) });
    await to(page, tabs.getByRole('link', { name: /^Live/ }), 'the tab Live');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.waitForURL(/tab=pages/);
    const grid = page.getByRole('grid');
    await to(page, grid, 'the table of pages');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await walk(page, 'why');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.ok(await grid.evaluate((one) => one === document.activeElement), 'the table has the focus again');
  });

  await step('project: every page', async () => {
    for (const tab of ['', '/fields', '/settings', '/runs', '/data', '/index']) {
      await page.goto(`${world.base}/projects/${project}${tab}`);
      await page.locator('h1').first().waitFor();
      await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
      await walk(page, `project${tab}`);
    }
  });

  await step('data: filter, sort, open a row, export', async () => {
    await page.goto(`${world.base}/projects/${project}/data`);
    await page.getByRole('grid').waitFor();
    await to(page, page.getByRole('textbox', { name: 'Value' }), 'the value of a filter');
    await page.keyboard.type('e');
    await page.keyboard.press('Enter');
    await page.waitForURL(/filter=/);
    await press(page, page.getByRole('columnheader').getByRole('button'), 'the head of a column');
    await page.waitForURL(/sort=/);
    await to(page, page.getByRole('grid'), 'the table of rows');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await press(page, page.locator('summary', { hasText: 'Export' }), 'Export');
    await page.keyboard.press('ArrowDown');
    assert.match(await page.evaluate(() => document.activeElement.href), /rows\.csv/);
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'SUMMARY');
  });

  await step('settings of a crawl: change one and save', async () => {
    await page.goto(`${world.base}/projects/${project}/settings`);
    const depth = page.getByLabel('max_depth', { exact: false }).first();
    await to(page, depth, 'the deepest level');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('7');
    await press(page, button(/^Save/), 'Save');
    await until('it to be saved', async () => (await world.api(page, 'GET', `/projects/${project}`)).data.project.crawl?.max_depth === 7);
  });

  await step('search: words, a hit explained', async () => {
    // With a single index that one opens.
    await page.goto(`${world.base}/search`);
    await page.waitForURL(new RegExp(`/search/${project}`));
    await to(page, page.getByRole('combobox').first(), 'the search box');
    await page.keyboard.type('tent');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=tent/);
    await page.locator('mark').first().waitFor();
    await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
    await walk(page, 'search');
  });

  await step('the other pages', async () => {
    for (const path of ['/', '/new', '/projects', '/runs', '/settings', '/simulator', `/projects/${project}/map`, `/projects/${project}/settings?view=yaml`, '/help/guide', '/help/project', '/api', '/no/such/page', `/s/${project}?q=tent`]) {
      await page.goto(world.base + path);
      await page.locator('h1').first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => {});
      await walk(page, path);
    }
  });

  await step('settings: a token is made and revoked', async () => {
    await page.goto(`${world.base}/settings`);
    await press(page, button('New token'), 'New token');
    await to(page, page.getByRole('dialog').getByLabel('Name'), 'the name of a token');
    await page.keyboard.type('by keys');
    await page.keyboard.press('Enter');
    await until('the token', async () => (await world.api(page, 'GET', '/tokens')).data.items.some((token) => token.name === 'by keys'));
  });

  await step('a run is begun, paused and resumed', async () => {
    await page.goto(`${world.base}/projects/${project}`);
    await press(page, page.locator('main summary').first(), 'More');
    await press(page, button(/from the beginning/), 'Crawl from the beginning');
    await press(page, page.getByRole('dialog').getByRole('button', { name: /beginning|Start|Crawl/ }), 'the answer to the question');
    await page.waitForURL(/\/runs\/\d+/);
    const id = new URL(page.url()).pathname.split('/').pop();
    const state = async () => (await world.api(page, 'GET', `/runs/${id}`)).data.state;
    if ((await state()) === 'completed') return;
    await press(page, button('Pause'), 'Pause');
    await until('it pauses', async () => ['paused', 'completed'].includes(await state()));
    if ((await state()) === 'completed') return;
    await press(page, button('Resume'), 'Resume');
    await until('it goes on', async () => ['running', 'completed'].includes(await state()));
  });

  await step('a project is deleted after a question', async () => {
    await world.api(page, 'POST', `/samples/${(await world.api(page, 'GET', '/samples')).data.items[1].id}`, {});
    const names = (await world.api(page, 'GET', '/projects')).data.items.map((one) => one.name);
    const name = names.find((one) => one !== project);
    await page.goto(`${world.base}/projects/${name}`);
    await press(page, page.locator('main summary').first(), 'More');
    await press(page, button(/^Delete/), 'Delete');
    await page.getByRole('dialog').waitFor();
    await walk(page, 'delete');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
  assert.deepEqual(page.errors, [], 'no console error');
});
