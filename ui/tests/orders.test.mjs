// Orders in the browser: the simulator with its plots, the map of a crawl, what a run's pages are worth.
import assert from 'node:assert/strict';
import test from 'node:test';
import { axe, shot, site, start, until } from './world.mjs';

test('orders are compared, drawn while they go, and downloaded', { timeout: 120_000 }, async (t) => {
  const world = await start(t);
  const page = await world.page();
  await page.goto(`${world.base}/simulator`);
  await page.getByLabel('Pages', { exact: true }).fill('20000');
  await page.getByLabel('Changes of a page a day').fill('0.5');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  // Lines are there before the verdict is.
  await page.locator('section[aria-busy="true"] polyline').first().waitFor();
  await page.getByText('brings important pages soonest').waitFor({ timeout: 90_000 });
  const rows = page.getByRole('table', { name: 'Orders compared' }).locator('tbody tr');
  assert.deepEqual(await rows.locator('td:first-child, th:first-child').allInnerTexts(), ['best possible', 'breadth-first', 'pagerank', 'topic']);
  const heads = await page.getByRole('table', { name: 'Orders compared' }).locator('thead th').allInnerTexts();
  const speeds = await rows.locator(`:nth-child(${1 + heads.findIndex((head) => head.trim() === 'Pages/s')})`).allInnerTexts();
  assert.ok(speeds[0] === '–' && speeds.slice(1).every((speed) => Number.parseFloat(speed) > 1), speeds.join(' '));
  // It lasts minutes, so there are no hours to compare.
  assert.equal(await page.locator('figure svg').count(), 5);
  await page.getByText('simulated minutes').first().waitFor();
  for (const figure of await page.locator('figure').all()) assert.ok((await figure.locator('polyline').count()) >= 3);
  // An order has one colour in all plots.
  const colours = await page.locator('figure li').evaluateAll((keys) => keys.filter((key) => key.textContent === 'topic').map((key) => key.querySelector('.key').style.background));
  assert.equal(colours.length, 5);
  assert.equal(new Set(colours).size, 1, colours.join(' '));
  for (const name of ['table.csv', 'mass.svg', 'mass.png']) {
    const button = name === 'table.csv' ? 'Table (CSV)' : name;
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button, exact: true }).click()]);
    assert.equal(file.suggestedFilename(), name);
  }
  await axe(page, 'simulator with plots');
  await shot(page, 'simulator-told');
  await page.getByLabel('Requests per host').fill('1/m');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByText('Mean PageRank of each hour').waitFor({ timeout: 90_000 });
  await page.getByText('brings important pages soonest').waitFor({ timeout: 90_000 });
  assert.equal(await page.locator('figure svg').count(), 6);
  // A budget of time ends all orders, and one goes by it.
  await page.getByLabel('Simulated time').fill('3h');
  await page.getByLabel(/^timed-breadth-first/).check();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await rows.filter({ hasText: 'timed-breadth-first' }).waitFor({ timeout: 90_000 });
  assert.match(await rows.filter({ hasText: 'pagerank' }).innerText(), /(2\.\d|3\.0) h/);
  await page.getByLabel('Requests per host').fill('never');
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  await page.getByText('never').last().waitFor();
});

/** A start, three lists, and pages that each list leads to; all name one another's hub. */
function pages(path) {
  if (path === '/') return '<title>Start</title><p>All lists.</p><a href="/list/0">one</a> <a href="/list/1">two</a> <a href="/list/2">three</a>';
  const list = /^\/list\/(\d)$/.exec(path)?.[1];
  if (list) return `<title>List ${list}</title>${Array.from({ length: 8 }, (_, at) => `<a href="/page/${list}-${at}">boat ${at}</a> `).join('')}`;
  if (/^\/page\//.test(path)) return `<title>${path}</title><p>A boat with the number ${path} lies in the harbour of ${path}.</p><a href="/hub">the hub</a>`;
  return path === '/hub' ? '<title>Hub</title><p>The hub of everything.</p><a href="/">start</a>' : undefined;
}

test('a running crawl says how long it takes, and its map and worth are drawn', { timeout: 180_000 }, async (t) => {
  const address = await site(t, pages);
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  const project = {
    version: 1, project: 'boats', start: [`${address.url}/`], crawl: { scope: 'host', allow_addresses: [address.address], rate: '2/s', topic: ['boat'] },
  };
  const made = await world.api(page, 'POST', '/projects', { project });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  const run = (await world.api(page, 'POST', '/projects/boats/runs', {})).data;
  await until('some pages', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.progress?.pages > 4, 30);
  await page.goto(`${world.base}/runs/${run.id}`);
  await page.locator('#forecast').getByText(/at 2\/s per host, .*% of link mass after/).waitFor();
  await axe(page, 'a run with its forecast');
  await shot(page, 'run-forecast');
  await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${run.id}`)).data.state === 'completed', 60);
  await page.goto(`${world.base}/runs/${run.id}?tab=outlook`);
  await page.getByText('Mean relevance of every hundred pages').waitFor();
  assert.equal(await page.locator('figure svg').count(), 4);
  // What has one hour, or one hundred pages, is a dot.
  assert.ok((await page.locator('figure svg circle').count()) >= 2);
  await axe(page, 'worth of a run');
  await shot(page, 'run-worth');
  await page.goto(`${world.base}/projects/boats/map`);
  await page.getByRole('heading', { name: 'The pages that matter most' }).waitFor();
  // The hub is what all pages link to.
  const hub = page.getByRole('button', { name: /^Hub, PageRank/ });
  await hub.click();
  await page.getByText('The way on which it was found:').waitFor();
  assert.equal(await page.locator('svg circle').count(), 29);
  // What another order, pace and topic would bring.
  const guess = page.locator('section').filter({ has: page.getByRole('heading', { name: 'What if' }) });
  await guess.getByText(/^pagerank at 2\/s per host: 29 of 29 known pages/).waitFor();
  await guess.getByLabel('By the order').fill('topic');
  await guess.getByLabel('At the rate').fill('1/s');
  await guess.getByLabel('On the topic').fill('lists, hub');
  await guess.getByRole('button', { name: 'Predict' }).click();
  await guess.getByText(/^topic at 1\/s per host: 29 of 29 known pages.* [1-9]\d* on topic, nine tenths of them after/).waitFor();
  await guess.getByText('29 pages were judged anew').waitFor();
  await axe(page, 'map');
  await shot(page, 'map-told');
  await guess.getByLabel('At the rate').fill('soon');
  await guess.getByRole('button', { name: 'Predict' }).click();
  await guess.getByText('soon').first().waitFor();
  assert.deepEqual(page.errors.splice(0).map((error) => /400 .*what-if/.test(error)), [true]);
  // The orders of the simulator, by a topic that the crawl has not.
  await page.goto(`${world.base}/simulator`);
  await page.getByLabel('Web', { exact: true }).selectOption('boats');
  await page.getByLabel('Topic', { exact: true }).fill('hub');
  await page.getByLabel(/^topic/).check();
  await page.getByRole('button', { name: 'Simulate', exact: true }).click();
  const heads = page.getByRole('table', { name: 'Orders compared' }).locator('thead th');
  await heads.filter({ hasText: 'On topic in 10 %' }).waitFor({ timeout: 60_000 });
  assert.deepEqual(page.errors, []);
});
