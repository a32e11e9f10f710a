// The first-run story by the clock: from the printed address to searchable rows in under a minute.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shot, slowed, start, until } from './world.mjs';
import { shownRows } from './picker.mjs';

const LIMIT = 60;

async function story(world, page, url, name) {
  const clock = Date.now();
  const seconds = () => (Date.now() - clock) / 1000;
  await page.goto(world.link);
  await page.waitForURL(`${world.base}/`);
  await page.getByLabel('Address of a page').fill(url);
  await page.keyboard.press('Enter');
  await page.locator('section.rows tbody tr').first().waitFor();
  const rows = await shownRows(page);
  assert.ok(rows.length >= 8, `${rows.length} rows are shown before any crawl`);
  const looked = seconds();
  await shot(page, `${name}-new`);
  await page.getByRole('button', { name: 'Crawl', exact: true }).click();
  await page.waitForURL(/\/runs\/\d+/);
  const started = seconds();
  const run = (await world.api(page, 'GET', `/runs/${page.url().match(/\/runs\/([^?/]+)/)[1]}`)).data;
  await shot(page, `${name}-run`);
  // Searchable while the crawl runs: a word of the first row is found.
  const word = Object.values(rows[0]).flatMap((text) => text.match(/[A-Za-z]{5,}/g) ?? []).at(0) ?? 'tent';
  await page.goto(`${world.base}/search/${encodeURIComponent(run.project)}?q=${encodeURIComponent('tent')}`);
  await until(`rows with tent (${word})`, async () => (await world.api(page, 'GET', `/indexes/${encodeURIComponent(run.project)}/search?q=tent`)).data.hits?.length > 0, LIMIT);
  await page.reload();
  await page.locator('main a').filter({ hasText: /tent/i }).first().waitFor();
  const found = seconds();
  await shot(page, `${name}-search`);
  console.log(`${name}: rows shown after ${looked.toFixed(1)} s, crawl started after ${started.toFixed(1)} s, searchable after ${found.toFixed(1)} s`);
  assert.ok(found < LIMIT, `${found} s`);
  assert.deepEqual(page.errors, []);
}

async function blank(world) {
  const browser = await world.chromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  context.setDefaultTimeout(LIMIT * 1000);
  return world.page({ context });
}

test('from the printed address to searchable rows in under a minute', async (t) => {
  const world = await start(t);
  const page = await blank(world);
  await page.goto(world.link);
  const demo = await world.demo(page);
  // The link works once: the story begins with a new one, as printed by `gannet signin`.
  world.link = (await world.cli('signin')).match(/http:\/\/\S+/)[0];
  await page.context().clearCookies();
  await story(world, page, `${demo}shop/tents/`, 'first-run');
});

test('and on a slow line as well', async (t) => {
  const first = await start(t);
  const page = await blank(first);
  await page.goto(first.link);
  const demo = await first.demo(page);
  const slow = await slowed(t, demo);
  const world = await start(t, { allow: [slow.address] });
  await story(world, await blank(world), `${slow.url}/shop/tents/`, 'slow-line');
});
