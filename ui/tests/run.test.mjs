// A run in the browser: paused, killed and resumed; steered while it runs; seen from two tabs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { axe, shot, site, start, until } from './world.mjs';

/** Pages in a chain of `length`, each with a few leaves: what a crawl meets keeps growing. */
function chain(length, leaves = 3) {
  return (path) => {
    const number = Number(/^\/(\d+)$/.exec(path)?.[1] ?? (path === '/' ? 0 : NaN));
    if (/^\/(leaf|calendar)\//.test(path)) return `<title>${path}</title><p>This is the page ${path}, which leads nowhere.</p>`;
    if (Number.isNaN(number) || number > length) return undefined;
    const links = Array.from({ length: leaves }, (_, at) => `<li><a href="/leaf/${number}-${at}">leaf ${at}</a> <a href="/calendar/${number}/${at}">day ${at}</a></li>`);
    return `<title>Page ${number}</title><h1>Page ${number}</h1><ul>${links.join('')}</ul><a href="/${number + 1}" rel="next">Next</a>`;
  };
}

async function make(world, page, name, address, crawl = {}) {
  const project = { version: 1, project: name, start: [`${address.url}/`], crawl: { scope: 'host', allow_addresses: [address.address], rate: '10/s', ...crawl } };
  const made = await world.api(page, 'POST', '/projects', { project });
  assert.equal(made.status, 201, JSON.stringify(made.data));
}

const state = (page, words) => page.locator('main header').getByText(words, { exact: true });
const figure = async (page, id) => Number((await page.locator(`#figure-${id}`).innerText()).replaceAll(',', ''));
const latest = async (world, page, project) => (await world.api(page, 'GET', `/projects/${project}`)).data.last_run;

test('a run that was paused when the server was killed is resumed from the page that stayed open', { timeout: 180_000 }, async (t) => {
  const address = await site(t, chain(25));
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'long', address);

  await page.goto(`${world.base}/projects/long`);
  await page.getByRole('button', { name: 'Crawl', exact: true }).first().click();
  await page.waitForURL(/\/runs\/\d+/);
  await state(page, 'Running').waitFor();
  await until('pages on the page', async () => (await figure(page, 'pages')) > 5);
  await axe(page, 'a run under way');
  await shot(page, 'run-running');

  await page.getByRole('button', { name: 'Pause' }).click();
  await state(page, 'Paused').waitFor();
  const before = await latest(world, page, 'long');

  await world.kill9();
  await page.getByText('No connection').waitFor();
  await world.restart();
  await page.getByText('No connection').waitFor({ state: 'hidden', timeout: 30_000 });
  await state(page, 'Paused').waitFor();
  const after = await latest(world, page, 'long');
  assert.equal(after.id, before.id, 'the same run');
  assert.equal(after.state, 'paused');
  await shot(page, 'run-paused-after-restart');

  await page.getByRole('button', { name: 'Resume' }).click();
  await state(page, 'Running').waitFor();
  await page.getByRole('button', { name: 'Speed' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Rate', { exact: true }).fill('unlimited');
  await dialog.getByRole('button', { name: 'Change speed' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await state(page, 'Completed').waitFor({ timeout: 60_000 });

  // 26 pages of the chain, with three leaves and three days each, and nothing twice.
  assert.equal(await figure(page, 'pages'), 26 + 26 * 3 + 26 * 3);
  const outcomes = (await world.api(page, 'GET', '/projects/long/outcomes')).data;
  assert.equal(outcomes.fetched, 182);
  assert.equal(outcomes.waiting ?? 0, 0);

  // The charts tell the same in other colours.
  const told = () => page.locator('.u-legend .u-value').allInnerTexts();
  await until('figures below the charts', async () => (await told()).some((text) => /\d/.test(text)), 5);
  await page.waitForLoadState('networkidle');
  const figures = await told();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.waitForTimeout(100);
  assert.deepEqual(await told(), figures);
});

test('a run that was under way when the server was killed goes on by itself', { timeout: 120_000 }, async (t) => {
  const address = await site(t, chain(8));
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'alone', address, { rate: '20/s' });
  const run = (await world.api(page, 'POST', '/projects/alone/runs', {})).data;
  await page.goto(`${world.base}/runs/${run.id}`);
  await until('pages on the page', async () => (await figure(page, 'pages')) > 3);
  await world.kill9();
  await world.restart();
  await state(page, 'Completed').waitFor({ timeout: 60_000 });
  assert.equal(await figure(page, 'pages'), 9 * 7);
});

test('another order takes hold while a run goes on', { timeout: 120_000 }, async (t) => {
  // The start leads to a way down and to many pages beside it.
  const asked = [];
  const address = await site(t, (path) => {
    asked.push(path);
    const down = Number(/^\/down\/(\d+)$/.exec(path)?.[1] ?? (path === '/' ? 0 : NaN));
    if (path.startsWith('/beside/')) return `<title>${path}</title><p>This is ${path}, which leads nowhere.</p>`;
    if (Number.isNaN(down)) return undefined;
    const beside = down > 0 ? '' : Array.from({ length: 160 }, (_, at) => `<a href="/beside/${at}">beside ${at}</a>`).join(' ');
    return `<title>${path}</title>${down < 12 ? `<a href="/down/${down + 1}">down</a>` : ''} ${beside}`;
  });
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'ordered', address, { rate: '50/s', order: 'breadth-first' });
  const run = (await world.api(page, 'POST', '/projects/ordered/runs', {})).data;
  await page.goto(`${world.base}/runs/${run.id}`);
  await until('pages on the page', async () => (await figure(page, 'pages')) > 3);
  await page.getByRole('button', { name: 'Pause' }).click();
  await state(page, 'Paused').waitFor();
  const near = (await world.api(page, 'GET', '/projects/ordered/pages?outcome=waiting&limit=1000')).data.items.map((one) => new URL(one.url).pathname);
  assert.ok(near.length > 100 && !asked.includes('/down/3'));

  await page.getByRole('button', { name: 'Order', exact: true }).click();
  const dialog = page.getByRole('dialog');
  assert.equal(await dialog.getByRole('radio').count(), 12, 'every order in words');
  await axe(page, 'another order');
  await shot(page, 'run-order');
  await dialog.getByLabel('Order', { exact: true }).fill('sideways');
  await dialog.getByRole('button', { name: 'Change order' }).click();
  await dialog.getByText(/sideways/).first().waitFor();
  // An order by topic needs one, and takes it here.
  await dialog.getByRole('radio', { name: /^topic/ }).check();
  await dialog.getByRole('button', { name: 'Change order' }).click();
  await dialog.getByText(/needs a topic/).first().waitFor();
  await dialog.getByLabel('Topic, one word or phrase a line').fill('boat\nwooden ship\n');
  await dialog.getByRole('button', { name: 'Change order' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const given = (await world.api(page, 'GET', `/runs/${run.id}`)).data.settings;
  assert.deepEqual([given.order, given.topic], ['topic', ['boat', 'wooden ship']]);

  await page.getByRole('button', { name: 'Order', exact: true }).click();
  assert.equal(await dialog.getByLabel('Topic, one word or phrase a line').inputValue(), 'boat\nwooden ship');
  await dialog.getByRole('radio', { name: /^depth-first/ }).check();
  await dialog.getByRole('button', { name: 'Change order' }).click();
  await dialog.waitFor({ state: 'hidden' });
  assert.equal((await world.api(page, 'GET', `/runs/${run.id}`)).data.settings.order, 'depth-first');
  assert.equal((await world.api(page, 'GET', '/projects/ordered')).data.project.crawl.order, 'breadth-first', 'of this run only');

  await page.getByRole('button', { name: 'Resume' }).click();
  await state(page, 'Completed').waitFor({ timeout: 60_000 });
  assert.equal(await figure(page, 'pages'), 13 + 160);
  assert.ok(near.some((path) => asked.indexOf(path) > asked.indexOf('/down/3')), 'what is far before what is near');

  await page.goto(`${world.base}/projects/ordered/settings`);
  const box = page.getByLabel('order', { exact: true });
  await box.waitFor();
  assert.equal(await page.locator(`datalist[id="${await box.getAttribute('list')}"] option`).count(), 12);
});

test('what is excluded while a run goes on is counted first, then taken out', { timeout: 120_000 }, async (t) => {
  const address = await site(t, chain(40, 12));
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'pruned', address, { rate: '5/s' });
  const run = (await world.api(page, 'POST', '/projects/pruned/runs', {})).data;
  await page.goto(`${world.base}/runs/${run.id}`);
  await until('days that wait', async () => {
    const waiting = (await world.api(page, 'GET', '/projects/pruned/pages?outcome=waiting&limit=1000')).data.items;
    return waiting.filter((one) => one.url.includes('/calendar/')).length > 4;
  });

  await page.getByRole('button', { name: 'Exclude…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Patterns, one a line').fill('/calendar/*');
  await dialog.getByText(/\d+ waiting URLs? would go/).waitFor();
  await axe(page, 'excluding');
  await shot(page, 'run-exclude');
  await dialog.getByRole('button', { name: 'Exclude', exact: true }).click();
  await page.getByText(/\d+ waiting URLs? taken out/).waitFor();

  await until('no day to wait any more', async () => {
    const waiting = (await world.api(page, 'GET', '/projects/pruned/pages?outcome=waiting&limit=1000')).data.items;
    return !waiting.some((one) => one.url.includes('/calendar/'));
  });
  const fetched = async () => (await world.api(page, 'GET', '/projects/pruned/pages?outcome=fetched&limit=1000')).data.items.filter((one) => one.url.includes('/calendar/')).length;
  const days = await fetched();
  await until('five further pages', async () => (await latest(world, page, 'pruned')).progress.pages > days + 10);
  // One may have been on its way.
  assert.ok((await fetched()) <= days + 1, 'no further day is fetched');

  await page.goto(`${world.base}/runs/${run.id}?tab=pages&outcome=excluded`);
  await page.getByRole('button', { name: /^Why\? .*calendar/ }).first().click();
  await page.getByRole('dialog').getByText(/excluded by .*\/calendar\/\*/).first().waitFor();
  await axe(page, 'why');
  await shot(page, 'run-why');
});

test('failed pages are run again from the page', { timeout: 120_000 }, async (t) => {
  let mended = false;
  const address = await site(t, (path) => {
    if (path === '/') return '<title>Start</title><a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>';
    return mended || path === '/a' ? `<title>${path}</title><p>Here I am: ${path}</p>` : undefined;
  });
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'mended', address, { rate: 'unlimited', retry: 0 });
  const run = (await world.api(page, 'POST', '/projects/mended/runs', {})).data;
  await page.goto(`${world.base}/runs/${run.id}`);
  await state(page, 'Completed').waitFor();
  await until('two failed', async () => (await figure(page, 'failed')) === 2);

  mended = true;
  await page.getByRole('button', { name: 'Re-run failed' }).click();
  await until('nothing failed', async () => {
    const outcomes = (await world.api(page, 'GET', '/projects/mended/outcomes')).data;
    return (outcomes.failed ?? 0) === 0 && outcomes.fetched === 4;
  });
  await state(page, 'Completed').waitFor();
  await until('the page says so', async () => (await figure(page, 'failed')) === 0 && (await figure(page, 'pages')) === 4);
  assert.equal(await page.getByRole('button', { name: 'Re-run failed' }).count(), 0, 'nothing failed: nothing to run again');

  await t.test('its log is filtered, and its settings are those it was started with', async () => {
    await page.goto(`${world.base}/runs/${run.id}?tab=log`);
    const log = page.getByRole('log');
    await log.getByText('status 404').first().waitFor();
    await page.getByLabel('Message has').fill('status 404');
    await until('only lines with 404', async () => {
      const lines = await log.locator('.line').allInnerTexts();
      return lines.length === 2 && lines.every((line) => line.includes('404'));
    });
    await page.goto(`${world.base}/runs/${run.id}?tab=settings`);
    const cell = (key) => page.getByRole('cell', { name: key, exact: true });
    await cell('retry').waitFor();
    assert.equal(await cell('max_depth').count(), 0, 'what is usual is left out');
    await page.getByRole('checkbox').uncheck();
    await cell('max_depth').waitFor();
  });

  await t.test('it is copied as YAML, as a command and as a request that works', async () => {
    // Headless browsers may have no clipboard.
    await page.evaluate(() => {
      navigator.clipboard.writeText = async (text) => void (window.copied = text);
    });
    const copied = async (name) => {
      await page.locator('main summary', { hasText: 'Copy as' }).click();
      await page.locator('main details[open]').getByRole('button', { name }).click();
      const text = await until(`${name} copied`, () => page.evaluate(() => window.copied), 5);
      await page.evaluate(() => delete window.copied);
      return text;
    };
    assert.equal(await copied(/^YAML/), (await world.api(page, 'GET', '/projects/mended')).data.yaml);
    assert.equal(await copied('Command line'), 'gannet crawl -p mended.yaml');
    const { token } = (await world.api(page, 'POST', '/tokens', { name: 'copied' })).data;
    // A shell reads the words; what curl would send is then sent.
    const script = `curl() { printf '%s\\n' "$@"; }\n${await copied('curl')}`;
    const words = execFileSync('sh', ['-c', script], { env: { GANNET_TOKEN: token }, encoding: 'utf8' }).trim().split('\n');
    const after = (flag) => words.flatMap((word, at) => (words[at - 1] === flag ? [word] : []));
    const headers = Object.fromEntries(after('-H').map((line) => line.split(': ')));
    const answer = await fetch(words.find((word) => word.startsWith('http')), { method: after('-X')[0], headers, body: after('-d')[0] });
    assert.equal(answer.status, 201, await answer.text());
  });
});

test('of a run that was cancelled nothing is left, and every page says so', { timeout: 60_000 }, async (t) => {
  const address = await site(t, chain(40, 3));
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  await make(world, page, 'dropped', address, { rate: '10/s' });
  const run = (await world.api(page, 'POST', '/projects/dropped/runs', {})).data;
  await page.goto(`${world.base}/runs/${run.id}?tab=rows`);
  await until('pages on the page', async () => (await figure(page, 'pages')) > 3);
  // Home has it among what runs; its pages there grow.
  const home = await world.page({ context: page.context() });
  await home.goto(world.base);
  const card = home.locator('section', { hasText: 'Running now' }).locator('li', { hasText: 'dropped' });
  const pages = async () => Number(/(\d+) pages?/.exec(await card.innerText())?.[1] ?? 0);
  await card.waitFor();
  const some = await pages();
  await until('more pages on Home', async () => (await pages()) > some, 10);

  await page.getByRole('button', { name: 'Cancel and discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel and discard' }).click();
  await state(page, 'Cancelled').waitFor();
  for (const tab of ['Pages', 'Rows', 'Links', 'Log', 'Live']) {
    await page.getByRole('link', { name: tab, exact: true }).last().click();
    await page.getByText('Nothing of this run is kept').waitFor();
  }
  for (const id of ['pages', 'rows', 'failed', 'skipped']) assert.equal(await figure(page, id), 0, id);
  assert.equal(await page.getByRole('button', { name: 'Re-run failed' }).count(), 0);
  await shot(page, 'run-cancelled');
  await page.goto(`${world.base}/projects/dropped`);
  await page.getByText('Cancelled', { exact: true }).first().waitFor();
  assert.equal(await page.getByText('All is well').count(), 0);
  assert.deepEqual(page.errors, []);
  await card.waitFor({ state: 'detached' });

  // A run that brought nothing needs attention, and Home leads to it.
  await world.api(page, 'POST', '/projects', { project: { version: 1, project: 'lost', start: [`${address.url}/nowhere`], crawl: { allow_addresses: [address.address], retry: 0 } } });
  const lost = (await world.api(page, 'POST', '/projects/lost/runs', {})).data;
  await until('it to end', async () => (await world.api(page, 'GET', `/runs/${lost.id}`)).data.state === 'completed');
  await home.reload();
  const trouble = home.locator('section', { hasText: 'Needs attention' }).locator('li', { hasText: 'lost' });
  await trouble.first().waitFor();
  await axe(home, 'attention');
  await shot(home, 'home-attention');
  await trouble.first().getByRole('link').last().click();
  await home.waitForURL(new RegExp(`/runs/${lost.id}`));
});

test('cancelling a later run says what goes, and leaves the rows of the run before', { timeout: 90_000 }, async (t) => {
  const address = await site(t, chain(40, 30));
  const world = await start(t, { allow: [address.address] });
  const page = await world.page();
  await page.goto(world.base);
  const project = (crawl) => ({ version: 1, project: 'twice', start: [`${address.url}/`], crawl: { scope: 'host', allow_addresses: [address.address], rate: '20/s', ...crawl }, fields: { page: { read: { title: 'title' } } } });
  assert.equal((await world.api(page, 'POST', '/projects', { project: project({ max_pages: 4 }) })).status, 201);
  const first = (await world.api(page, 'POST', '/projects/twice/runs', {})).data;
  await until('the first run to end', async () => (await world.api(page, 'GET', `/runs/${first.id}`)).data.state === 'completed');
  const kept = await world.api(page, 'GET', '/projects/twice');
  await page.evaluate(async ([etag, project]) => {
    const { csrf } = await (await fetch('/api/v1/session')).json();
    await fetch('/api/v1/projects/twice', { method: 'PUT', headers: { 'x-gannet-csrf': csrf, 'content-type': 'application/json', 'if-match': etag }, body: JSON.stringify({ project }) });
  }, [kept.etag, project({})]);
  const second = (await world.api(page, 'POST', '/projects/twice/runs', {})).data;
  await page.goto(`${world.base}/runs/${second.id}`);
  await until('more pages', async () => (await figure(page, 'pages')) > 6);
  // What is left is told with what it is reckoned from.
  await page.getByText(/about .* left, for the \d+ URLs known now, (at|on) /).waitFor();
  await page.getByRole('button', { name: 'Cancel and discard' }).click();
  const question = page.getByRole('dialog');
  await question.getByText(/also those of earlier runs\. Rows of earlier runs stay/).waitFor();
  await shot(page, 'run-cancel-later');
  await question.getByRole('button', { name: 'Cancel and discard' }).click();
  await state(page, 'Cancelled').waitFor();
  for (const id of ['pages', 'rows', 'failed', 'skipped']) assert.equal(await figure(page, id), 0, id);
  const rows = async (run) => (await world.api(page, 'GET', `/projects/twice/rows?run=${run}`));
  assert.equal((await rows(first.id)).data.items.length, 4);
  assert.equal((await rows(second.id)).status, 404);
  await page.goto(`${world.base}/runs/${first.id}?tab=rows`);
  await page.getByRole('gridcell', { name: 'Page 0' }).first().waitFor();
});

test('two tabs on one run agree', { timeout: 120_000 }, async (t) => {
  const address = await site(t, chain(12));
  const world = await start(t, { allow: [address.address] });
  const one = await world.page();
  await one.goto(world.base);
  await make(world, one, 'shared', address);
  const run = (await world.api(one, 'POST', '/projects/shared/runs', {})).data;
  const two = await world.page({ context: one.context() });
  for (const page of [one, two]) await page.goto(`${world.base}/runs/${run.id}`);
  for (const page of [one, two]) await state(page, 'Running').waitFor();

  await one.getByRole('button', { name: 'Pause' }).click();
  await state(two, 'Paused').waitFor({ timeout: 5_000 });
  await until('the same numbers', async () => (await figure(one, 'pages')) === (await figure(two, 'pages')));
  await two.getByRole('button', { name: 'Resume' }).click();
  await state(one, 'Running').waitFor({ timeout: 5_000 });
  await one.getByRole('button', { name: 'Stop and keep' }).click();
  await one.getByRole('dialog').getByRole('button', { name: 'Stop and keep' }).click();
  await state(two, 'Stopped').waitFor({ timeout: 15_000 });
  await state(one, 'Stopped').waitFor();
  for (const id of ['pages', 'rows', 'failed']) await until(`the same ${id}`, async () => (await figure(one, id)) === (await figure(two, id)), 10);
  assert.deepEqual([one.errors, two.errors], [[], []]);
});
