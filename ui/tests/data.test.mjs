// Rows in the browser: filtered, sorted, opened by keyboard, exported as they are shown; an index given other weights.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { axe, shot, site, start, until } from './world.mjs';

const COUNT = 240;
let dearer = 0;
const price = (at) => 5 + ((at * 37) % COUNT);

function pages(path) {
  const number = Number(/^\/list\/(\d+)$/.exec(path)?.[1] ?? (path === '/' ? 0 : NaN));
  if (Number.isNaN(number) || number >= COUNT / 40) return undefined;
  const items = Array.from({ length: 40 }, (_, at) => {
    const id = number * 40 + at;
    return `<li><h2>Thing ${id}</h2><p class="price">${price(id) + (id === 7 ? dearer : 0)}.00 EUR</p><p class="brand">${['Kite', 'Nordlys', ''][id % 3]}</p></li>`;
  });
  return `<title>List ${number}</title><ul class="products">${items.join('')}</ul><a rel="next" href="/list/${number + 1}">Next</a>`;
}

test('rows are filtered, sorted, opened and exported as they are shown', { timeout: 180_000 }, async (t) => {
  const address = await site(t, pages);
  const world = await start(t, { allow: [address.address] });
  const page = await world.page({ acceptDownloads: true });
  await page.goto(world.base);
  const project = {
    version: 1, project: 'rows', start: [`${address.url}/`], crawl: { scope: 'host', rate: 'unlimited', allow_addresses: [address.address] },
    fields: { list: { rows: 'ul.products > li', key: ['title'], read: { title: 'h2', price: { css: '.price', kind: 'number' }, brand: '.brand' }, next: 'a[rel=next]' } },
  };
  assert.equal((await world.api(page, 'POST', '/projects', { project })).status, 201);
  const run = (await world.api(page, 'POST', '/projects/rows/runs', {})).data;
  await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 60);

  await page.goto(`${world.base}/projects/rows/data`);
  const grid = page.getByRole('grid', { name: 'Rows' });
  await grid.waitFor();
  const column = async (name) => {
    const names = await page.getByRole('columnheader').allInnerTexts();
    const at = names.findIndex((one) => one.trim() === name);
    return page.locator('[role=row] [role=gridcell]').evaluateAll((cells, [at, width]) => cells.filter((_, i) => i % width === at).map((one) => one.textContent.trim()), [at, names.length]);
  };
  await axe(page, 'data');
  await shot(page, 'data');

  // Only a screenful is drawn, and the end is reached by keys.
  assert.ok((await page.locator('[role=row]').count()) < 80, 'few lines are drawn');
  await grid.focus();
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press('End');
    await page.waitForTimeout(50);
  }
  await page.getByText('240 rows').waitFor();

  await page.getByRole('button', { name: 'price' }).click();
  await page.waitForURL(/sort=price/);
  await until('the smallest first', async () => (await column('price'))[0]?.startsWith('5'));
  await page.getByRole('button', { name: 'price' }).click();
  await page.waitForURL(/sort=-price/);
  await until('the largest first', async () => (await column('price'))[0]?.startsWith(String(COUNT + 4)));

  await page.getByLabel('Column', { exact: true }).selectOption('price');
  await page.getByLabel('Test', { exact: true }).selectOption('<');
  await page.getByLabel('Value', { exact: true }).fill('12');
  await page.getByRole('button', { name: 'Add condition' }).click();
  await page.getByText('7 rows').waitFor();
  await page.getByLabel('Column', { exact: true }).selectOption('brand');
  await page.getByLabel('Test', { exact: true }).selectOption('not empty');
  await page.getByRole('button', { name: 'Add condition' }).click();
  const wanted = Array.from({ length: COUNT }, (_, at) => at).filter((at) => price(at) < 12 && at % 3 !== 2).sort((a, b) => price(b) - price(a));
  await page.getByText(`${wanted.length} rows`).waitFor();
  assert.deepEqual((await column('title')).filter(Boolean), wanted.map((at) => `Thing ${at}`));
  await shot(page, 'data-filtered');

  await page.locator('summary', { hasText: 'Export' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Rows as CSV' }).click()]);
  const lines = readFileSync(await download.path(), 'utf8').trim().split(/\r?\n/);
  assert.equal(lines.length, wanted.length + 1);
  assert.ok(lines[1].includes(`Thing ${wanted[0]}`), lines[1]);

  // By keyboard alone: the first row, whole, and back.
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Row' });
  await dialog.getByText(`Thing ${wanted[0]}`).waitFor();
  await axe(page, 'a row');
  await shot(page, 'data-row');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });

  // A row that a later run found changed has its history.
  dearer = 1000;
  await page.goto(`${world.base}/runs/${run.id}`);
  await page.getByRole('button', { name: 'Crawl again' }).click();
  await page.waitForURL((url) => /\/runs\/\d+/.test(url.pathname) && !url.pathname.endsWith(`/${run.id}`));
  const second = { id: /\/runs\/(\d+)/.exec(page.url())[1] };
  await until('the second crawl to end', async () => (await world.api(page, 'GET', `/runs/${second.id}`)).data.state === 'completed', 60);
  await page.goto(`${world.base}/projects/rows/data?sort=-price`);
  await until('the dearest first', async () => (await column('price'))[0]?.startsWith(String(1000 + price(7))));
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await dialog.locator('ins', { hasText: String(1000 + price(7)) }).waitFor();
  await dialog.locator('del', { hasText: String(price(7)) }).waitFor();
  await shot(page, 'data-history');
  assert.deepEqual(page.errors, []);
});

test('an index is made, given weights, and the project file has them', { timeout: 120_000 }, async (t) => {
  const address = await site(t, pages);
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  const project = {
    version: 1, project: 'weighed', start: [`${address.url}/`], crawl: { scope: 'host', rate: 'unlimited', allow_addresses: [address.address], max_pages: 2 },
    fields: { list: { rows: 'ul.products > li', read: { title: 'h2', brand: '.brand' } } },
  };
  assert.equal((await world.api(page, 'POST', '/projects', { project })).status, 201);
  const run = (await world.api(page, 'POST', '/projects/weighed/runs', {})).data;
  await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 60);
  await page.goto(`${world.base}/projects/weighed/index`);
  const make = page.getByRole('button', { name: 'Make an index' });
  await page.getByRole('heading', { name: 'Fields', level: 2 }).waitFor();
  if (await make.count()) await make.click();
  await page.getByText('Pages and rows').waitFor();
  await page.getByLabel('Weight brand').fill('3');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until('the file to have it', async () => (await world.api(page, 'GET', '/projects/weighed')).data.project.index?.fields?.brand?.weight === 3);
  await until('the index to have it', async () => (await world.api(page, 'GET', '/indexes/weighed')).data.settings?.fields?.brand?.weight === 3);
  await axe(page, 'index');
  await shot(page, 'project-index');
  assert.deepEqual(page.errors, []);
});
