// Searching in the browser: what a query finds, how it is narrowed, shared and shown without scripts.
import assert from 'node:assert/strict';
import test from 'node:test';
import { axe, shot, site, start, until } from './world.mjs';

const THINGS = ['chair', 'table', 'lamp', 'tent', 'stove'];
const WOODS = ['oak', 'beech', 'pine'];
const BRANDS = ['Nordlys', 'Old Mill', 'Kite'];

/** 30 products: each a page with a row. */
const products = Array.from({ length: 30 }, (_, at) => ({
  at,
  thing: THINGS[at % 5],
  wood: WOODS[at % 3],
  brand: BRANDS[Math.floor(at / 10)],
  price: 10 + at * 3,
  title: `${at % 2 ? 'Folding' : 'Plain'} ${WOODS[at % 3]} ${THINGS[at % 5]} ${at}`,
}));

function pages(path) {
  if (path === '/') return `<title>Shop</title><h1>Everything for the garden</h1>${products.map((one) => `<a href="/p/${one.at}">${one.title}</a>`).join(' ')}`;
  const one = products[Number(/^\/p\/(\d+)$/.exec(path)?.[1] ?? NaN)];
  if (!one) return undefined;
  return `<title>${one.title}</title><article><h1>${one.title}</h1><p class="brand">${one.brand}</p><p class="price">${one.price}.00 EUR</p>
    <p class="text">A ${one.thing} made of ${one.wood}. ${one.at % 2 ? 'It is a folding piece that stands anywhere.' : 'It stands where you put it.'}</p></article>`;
}

const PROJECT = {
  fields: { product: { has: 'article .price', read: { name: 'h1', brand: '.brand', price: { css: '.price', kind: 'price' } } } },
  index: { fields: { brand: { column: 'facet' } } },
};

async function crawled(t, crawl = {}) {
  const address = await site(t, pages);
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  const project = { version: 1, project: 'things', start: [`${address.url}/`], crawl: { scope: 'host', allow_addresses: [address.address], rate: 'unlimited', ...crawl }, ...PROJECT };
  const made = await world.api(page, 'POST', '/projects', { project });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  const run = (await world.api(page, 'POST', '/projects/things/runs', {})).data;
  return { world, page, run, address };
}

async function finished(world, page, run) {
  await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 60);
  await until('the index to have read all', async () => {
    const { status } = (await world.api(page, 'GET', '/indexes/things')).data;
    return status?.documents >= 61 && status.behind === 0;
  });
}

const hits = async (page) => Number(/([\d,]+) hits?/.exec(await page.locator('.count').innerText())[1].replaceAll(',', ''));
const titles = (page) => page.locator('ol .title, td.first .title').allInnerTexts();

/** Types a query and waits for its hits: `count` of them, if that is said. */
async function search(page, query, count = null) {
  const box = page.getByRole('combobox', { name: 'Search' });
  await box.fill(query);
  const answered = page.waitForResponse((answer) => new URL(answer.url()).searchParams.get('q') === query && answer.url().includes('/search?'));
  await box.press('Enter');
  await answered;
  if (count !== null) await until(`${count} hits of ${query}`, async () => (await hits(page)) === count, 5);
}

test('queries, facets, ranges and the address that shares them', { timeout: 180_000 }, async (t) => {
  const { world, page, run } = await crawled(t);
  await finished(world, page, run);
  await page.goto(`${world.base}/search/things`);

  // Boolean, phrase, none of.
  await search(page, 'kind:row AND chair', products.filter((one) => one.thing === 'chair').length);
  await search(page, '+kind:row +(chair OR lamp) -oak', products.filter((one) => ['chair', 'lamp'].includes(one.thing) && one.wood !== 'oak').length);
  await search(page, 'kind:page "folding piece"', 15);
  assert.ok((await page.locator('mark').count()) > 0, 'what was found is marked');
  await axe(page, 'search');
  await shot(page, 'search-list');

  // A facet, then a range beside it.
  await search(page, 'kind:row', 30);
  const facet = page.locator('fieldset', { has: page.locator('legend', { hasText: /^brand$/ }) });
  await facet.getByLabel('Old Mill').check();
  await until('only Old Mill', async () => (await hits(page)) === 10);
  const price = page.locator('fieldset', { has: page.locator('legend', { hasText: /^price$/ }) });
  await price.getByLabel('price from').fill('50');
  await price.getByLabel('price to').fill('60');
  await price.getByLabel('price: Apply').click();
  const wanted = products.filter((one) => one.brand === 'Old Mill' && one.price >= 50 && one.price <= 60);
  await until('the range too', async () => (await hits(page)) === wanted.length);

  // Sorted, as a table; and the same for whoever opens the address.
  await page.getByLabel('Sort').selectOption('-price');
  await page.getByRole('button', { name: 'Table' }).click();
  await page.waitForURL(/layout=table/);
  await page.waitForLoadState('networkidle');
  const shown = await titles(page);
  assert.equal(shown.length, wanted.length);
  assert.deepEqual(shown.map((one) => one.split(' ').at(-1)), wanted.map((one) => String(one.at)).reverse());
  await shot(page, 'search-table');
  const other = await world.page();
  await other.goto(page.url());
  await other.locator('.count').waitFor();
  assert.deepEqual(await titles(other), shown);

  // The same hits without scripts, and as JSON.
  const plain = await (await world.newContext({ javaScriptEnabled: false })).newPage();
  const answer = await plain.goto(`${world.base}/s/things?${new URL(page.url()).searchParams}`);
  assert.equal(answer.status(), 200);
  const text = await plain.locator('body').innerText();
  for (const one of wanted) assert.ok(text.includes(one.title), `${one.title} on the plain page`);
  const json = await world.api(page, 'GET', `/indexes/things/search?${new URLSearchParams({ q: 'kind:row', filter: 'price:50..60' })}`);
  assert.equal(json.data.total, products.filter((one) => one.price >= 50 && one.price <= 60).length);

  // Taking a filter away again.
  await page.getByRole('button', { name: /^Remove the filter price/ }).click();
  await until('ten again', async () => (await hits(page)) === 10);
  assert.deepEqual(page.errors, []);
});

test('hits are grouped by site, and each group leads to the rest of its own', { timeout: 120_000 }, async (t) => {
  // Not the same pages: those would be duplicates.
  const shop = (wood) => (path) => {
    if (path === '/') return `<title>${wood}</title>${Array.from({ length: 5 }, (_, at) => `<a href="/${at}">${wood} chair ${at}</a>`).join(' ')}`;
    return /^\/\d$/.test(path) ? `<title>Chair ${path} of ${wood}</title><h1>Chair ${path} of ${wood}</h1><p>${`The ${wood} chair ${path} has its own story. `.repeat(8)}</p>` : undefined;
  };
  const sites = [await site(t, shop('oak')), await site(t, shop('elm'), { host: '127.0.0.2' })];
  const world = await start(t, { allow: sites.map((one) => one.address) });
  const page = await world.page();
  await page.goto(world.base);
  const project = { version: 1, project: 'things', start: sites.map((one) => `${one.url}/`), crawl: { scope: 'host', rate: 'unlimited', allow_addresses: sites.map((one) => one.address) }, index: { of: 'pages' } };
  const made = await world.api(page, 'POST', '/projects', { project });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  const run = (await world.api(page, 'POST', '/projects/things/runs', {})).data;
  await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 60);
  await page.goto(`${world.base}/search/things`);
  await search(page, 'chair');
  const hosts = async () => (await page.locator('ol .title').evaluateAll((all) => all.map((one) => one.hostname)));
  assert.ok((await hosts()).length > 2);
  await page.getByLabel('Group by site').check();
  await page.waitForURL(/group=site/);
  await until('one hit of each site', async () => (await hosts()).sort().join(' ') === '127.0.0.1 127.0.0.2', 10);
  await shot(page, 'search-grouped');
  // The address shares it; the rest of one site is a link away.
  const tab = await world.page();
  await tab.goto(page.url());
  await tab.getByRole('link', { name: /^More from 127\.0\.0\.2/ }).click();
  await until('all of one site', async () => {
    const found = await tab.locator('ol .title').evaluateAll((all) => all.map((one) => one.hostname));
    return found.length > 2 && found.every((one) => one === '127.0.0.2');
  }, 10);
  assert.deepEqual(page.errors, []);
});

test('spelling, suggestions and help when nothing matches', { timeout: 180_000 }, async (t) => {
  const { world, page, run, address } = await crawled(t);
  await finished(world, page, run);
  await page.goto(`${world.base}/search/things`);

  const box = page.getByRole('combobox', { name: 'Search' });
  await box.pressSequentially('fol', { delay: 40 });
  await page.getByRole('option').first().waitFor();
  assert.match(await page.getByRole('option').first().innerText(), /^fol/i);
  await axe(page, 'suggestions');
  await shot(page, 'search-suggestions');
  await box.press('ArrowDown');
  await box.press('Enter');
  await page.waitForURL(/q=fol/i);
  await until('hits', async () => (await page.locator('.count').count()) > 0 && (await hits(page)) > 0);

  await search(page, 'foldign chair');
  await until('a better spelling, or the hits of it', async () => (await page.getByText('Did you mean').count()) > 0 || (await page.getByText('was also looked for as').count()) > 0);
  await shot(page, 'search-spelling');

  await search(page, 'zzyzx');
  await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
  await page.getByLabel(/Missing a certain page/).fill(`${address.url}/p/3`);
  await page.getByRole('button', { name: 'Why not?' }).click();
  await page.getByText(/^crawl things: fetched/).waitFor();
  await axe(page, 'nothing found');
  await shot(page, 'search-nothing');

  // Kept copy, similar pages and the way to a score.
  await search(page, 'kind:page stove');
  await page.getByRole('button', { name: 'Kept copy' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('mark').first().waitFor();
  await axe(page, 'a kept copy');
  await shot(page, 'search-cached');
  await page.keyboard.press('Escape');
  await page.getByLabel('Explain').check();
  await page.getByText('How the score comes about').first().click();
  await page.locator('.explained li li').first().waitFor();
  await page.getByRole('link', { name: 'Similar' }).first().click();
  await page.waitForURL(/like=/);
  await page.getByText('Similar to').waitFor();
  await until('similar pages', async () => (await hits(page)) > 0);
});

test('the advanced form writes the query, and a typed query fills the form', { timeout: 180_000 }, async (t) => {
  const { world, page, run } = await crawled(t);
  await finished(world, page, run);
  await page.goto(`${world.base}/search/things`);
  await page.getByRole('button', { name: 'Advanced' }).click();
  const form = page.getByRole('form', { name: 'Advanced search' });
  await form.getByLabel('Words', { exact: true }).fill('chair');
  await form.getByLabel('Every word must be there').check();
  await form.getByLabel('None of these words').fill('pine');
  await form.getByLabel('Kind').selectOption('row');
  await form.getByLabel('price from').fill('20');
  await form.getByLabel('price to').fill('80');
  const box = page.getByRole('combobox', { name: 'Search' });
  assert.equal(await box.inputValue(), '+chair -pine kind:row price:20..80');
  await axe(page, 'advanced search');
  await shot(page, 'search-advanced');
  await form.getByLabel('Words', { exact: true }).press('Enter');
  await page.locator('.count').waitFor();
  const wanted = products.filter((one) => one.thing === 'chair' && one.wood !== 'pine' && one.price >= 20 && one.price <= 80);
  await until('the hits of the form', async () => (await hits(page)) === wanted.length);

  await box.fill('+"folding piece" -lamp kind:page after:2020');
  assert.equal(await form.getByLabel('Exactly this phrase').inputValue(), 'folding piece');
  assert.equal(await form.getByLabel('None of these words').inputValue(), 'lamp');
  assert.equal(await form.getByLabel('Kind').inputValue(), 'page');
  assert.equal(await form.getByLabel('From date').inputValue(), '2020');
  await box.fill('chair NEAR/3 oak');
  assert.equal(await form.getByLabel('The rest of the query').inputValue(), 'chair NEAR/3 oak');
  assert.deepEqual(page.errors, []);
});

test('a search answers while the crawl runs, and its hits grow', { timeout: 180_000 }, async (t) => {
  const { world, page, run } = await crawled(t, { rate: '4/s' });
  await page.goto(`${world.base}/search/things?q=kind:row`);
  await until('first hits', async () => (await page.locator('.count').count()) > 0 && (await hits(page)) > 0, 40);
  const first = await hits(page);
  const now = (await world.api(page, 'GET', `/runs/${run.id}`)).data;
  assert.equal(now.state, 'running', 'the crawl is still running');
  await shot(page, 'search-while-crawling');
  await until('more hits without a click', async () => (await hits(page)) > first, 40);
});
