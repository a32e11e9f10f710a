// What the judge finds, in a browser: changed pages with words, elements, attributes and images side by side, the
// versions of a page, groups of duplicates with shared passages.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { deflateSync } from 'node:zlib';
import { test } from 'node:test';
import { axe, shot, start, until } from './world.mjs';

const crcs = Array.from({ length: 256 }, (_, n) => [...Array(8)].reduce((c) => (c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1), n) >>> 0);
const crc = (bytes) => (bytes.reduce((c, byte) => (crcs[(c ^ byte) & 255] ^ (c >>> 8)) >>> 0, 0xffffffff) ^ 0xffffffff) >>> 0;

/** A grey PNG of 64 by 64 points: stripes so wide. */
function png(stripe) {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.from([0, 0, 0, 64, 0, 0, 0, 64, 8, 0, 0, 0, 0]);
  const rows = Buffer.concat(Array.from({ length: 64 }, (_, y) => Buffer.from([0, ...Array.from({ length: 64 }, (_, x) => ((Math.floor(x / stripe) + Math.floor(y / stripe)) % 2 ? 30 : 240))])));
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const article = (from) => Array.from({ length: 120 }, (_, i) => `word${((from * 7919 + i) * 2654435761) % 99991}`).join(' ');

/** A site of its own: two articles, one of them also in print, a page with an image; `site.version` says which. */
async function magazine(t) {
  const site = { version: 0 };
  const server = createServer((asked, response) => {
    const later = site.version > 0;
    const html = (text) => response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Magazine</title><body>${text}</body>`);
    switch (asked.url) {
      case '/':
        return html('<p>All of it.</p><a href=/read>read</a><a href=/print>print</a><a href=/news>news</a>');
      case '/read':
        return html(`<nav>Home</nav><main><p>${article(1)}</p></main>`);
      case '/print':
        return html(`<nav>Print</nav><main><p>${article(1)} printed</p></main>`);
      case '/news':
        return html(`<main><h1>News</h1><p>The harbour is ${later ? 'closed until the storm is over' : 'open'} today.</p>${later ? '<p>Stay at home.</p>' : ''}${site.version > 1 ? '<p>The storm has a name.</p>' : ''}<img src=/sea.png alt=Sea></main>`);
      case '/sea.png':
        return response.writeHead(200, { 'content-type': 'image/png' }).end(png(later ? 5 : 16));
      default:
        return response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  site.address = `127.0.0.1:${server.address().port}`;
  return site;
}

test('changes, versions and duplicates are shown with their data', async (t) => {
  const site = await magazine(t);
  const world = await start(t, { allow: [site.address] });
  const page = await world.page();
  await page.goto(world.base);
  const project = { version: 1, project: 'magazine', start: [`http://${site.address}/`], crawl: { rate: 'unlimited', duplicates: 'winnowing', images_per_page: 3 } };
  assert.equal((await world.api(page, 'POST', '/projects', { project })).status, 201);
  const crawl = async (body) => {
    const begun = await world.api(page, 'POST', '/projects/magazine/runs', body);
    assert.equal(begun.status, 201, JSON.stringify(begun.data));
    await until('the crawl to end', async () => (await world.api(page, 'GET', `/runs/${begun.data.id}`)).data.state === 'completed', 60);
    return begun.data.id;
  };
  await crawl({});
  site.version = 1;
  const run = await crawl({ refresh: true });

  await page.goto(`${world.base}/runs/${run}?tab=changes`);
  const news = page.getByRole('row').filter({ hasText: '/news' });
  await news.waitFor();
  await page.getByRole('row').filter({ hasText: '/sea.png' }).getByText('Image', { exact: true }).waitFor();
  await axe(page, 'changes');
  await news.getByRole('button', { name: /Show/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('closed until the storm is over').first().waitFor();
  assert.deepEqual(await dialog.locator('.text').locator('ins, del').allInnerTexts().then((words) => words.map((word) => word.trim())), ['open', 'closed until the storm is over', 'Stay at home.'], 'marked side by side');
  assert.equal(await dialog.getByRole('slider').count(), 0, 'two versions leave no choice');
  await shot(page, 'versions');
  await dialog.getByText(/Level \d+/).first().waitFor();
  await dialog.getByRole('heading', { name: 'Images' }).waitFor();
  await dialog.getByText('Another image').waitFor();
  const shown = await dialog.locator('figure img').evaluateAll((images) => images.map((image) => [image.complete && image.naturalWidth, image.src]));
  assert.deepEqual(shown.map(([width]) => width), [64, 64], 'both are drawn');
  assert.notEqual(shown[0][1], shown[1][1]);
  await axe(page, 'versions');

  // Why: each step of the cascade, with what it has for both versions.
  await page.goto(`${world.base}/runs/${run}?tab=pages`);
  await page.getByRole('button', { name: /^Why\? .*\/news/ }).click();
  const steps = dialog.locator('table.steps tbody tr');
  await steps.first().waitFor();
  const told = await steps.evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.innerText.trim())));
  assert.deepEqual(told.map(([step, , , differs]) => [step, differs]), [
    ['Content hash', 'differs'], ['Tags', 'differs'], ['Elements on each level', 'differs'], ['Elements compared', 'differs'],
    ['Text codes I and II', 'differs'], ['Words compared', 'differs'], ['Image number (ival)', 'same'], ['Image hash', 'differs'],
  ], 'the number is fooled by stripes, the hash is not');
  const story = (await world.api(page, 'GET', `/projects/magazine/why?url=${encodeURIComponent(`http://${site.address}/news`)}`)).data;
  assert.deepEqual(told.map(([, before, after]) => [before, after]), story.change_steps.map(({ before, after }) => [before, after]), 'as the program tells them');
  assert.match(told[1].join(), /6 tags: .*7 tags: /);
  await dialog.getByText(/^2 versions; at .* tags differed first, text: /).waitFor();
  await dialog.getByText(/^changed at 1 of 1 later visits/).waitFor();
  await axe(page, 'why of a page that changed');
  await dialog.getByRole('heading', { name: 'Latest change' }).evaluate((heading) => heading.scrollIntoView());
  await shot(page, 'why-changed');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Why\? .*\/print/ }).click();
  await dialog.getByRole('heading', { name: 'Pages that say the same' }).waitFor();
  await dialog.getByText(new RegExp(`^\\d+ % like http://${site.address}/read`)).waitFor();
  assert.equal(await steps.count(), 0, 'it has not changed');
  await page.keyboard.press('Escape');

  await page.goto(`${world.base}/runs/${run}?tab=duplicates`);
  await page.getByText('2 pages with nearly the same text').waitFor();
  await axe(page, 'duplicates');
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('dialog').getByText(/alike/).waitFor();
  await axe(page, 'shared passages');
  assert.deepEqual(page.errors, []);

  // The same through the API, with its refusals.
  const ask = (path) => world.api(page, 'GET', `/projects/magazine/${path}`);
  const url = encodeURIComponent(`http://${site.address}/news`);
  assert.deepEqual((await ask(`versions?url=${url}`)).data.items.length, 2);
  const versions = (await ask(`versions?url=${url}`)).data.items;
  assert.match((await ask(`version?url=${url}&at=${versions[0].at}`)).data.content, /is open today/);
  assert.match((await ask(`version?url=${url}`)).data.content, /storm/);
  assert.equal((await ask(`change?url=${url}`)).data.details.images[0].became, 'replaced');
  const listed = (await ask('changes')).data.items.map((one) => new URL(one.url).pathname).sort();
  assert.deepEqual(listed, ['/news', '/sea.png']);
  assert.deepEqual((await ask('changes?since=2100-01-01')).data.items, []);
  assert.equal((await ask('changes?since=never')).status, 400);
  assert.equal((await ask('change')).status, 400);
  assert.equal((await ask(`change?url=${encodeURIComponent(`http://${site.address}/read`)}`)).status >= 400, true);
  assert.equal((await ask('duplicates')).data.items.length, 1);
  const pair = `first=${encodeURIComponent(`http://${site.address}/read`)}&second=${encodeURIComponent(`http://${site.address}/print`)}`;
  assert.ok((await ask(`shared?${pair}`)).data.passages.length >= 1);

  // What revisit settings come to, while they are chosen.
  await page.goto(`${world.base}/projects/magazine/settings`);
  const forecast = page.getByRole('status').filter({ hasText: /^(A refresh|At most) / });
  assert.match(await forecast.innerText(), /asks for every page again/);
  await page.getByLabel('revisit', { exact: true }).selectOption('optimal');
  await page.getByLabel('revisit_budget', { exact: true }).fill('200');
  await forecast.filter({ hasText: 'At most 200 requests a day' }).filter({ hasText: 'every day or more often' }).waitFor();
  await page.getByText('Refreshes spend up to 200 fetches a day').waitFor();
  await axe(page, 'revisit settings');
  await forecast.evaluate((note) => note.scrollIntoView({ block: 'center' }));
  await shot(page, 'revisit-forecast');

  // Of a third version the slider leads back to the one before.
  site.version = 2;
  const third = await crawl({ refresh: true });
  await page.goto(`${world.base}/runs/${third}?tab=changes`);
  await page.getByRole('row').filter({ hasText: '/news' }).getByRole('button', { name: /Show/ }).click();
  await dialog.locator('.text ins').filter({ hasText: 'has a name' }).waitFor();
  await dialog.getByRole('slider').fill('1');
  await dialog.locator('.text ins').filter({ hasText: 'closed until the storm' }).waitFor();
  await axe(page, 'versions with a slider');

  // What was accepted is told beside the version before and the first, also after the page is loaded again.
  await dialog.getByRole('button', { name: 'Accept this version' }).click();
  await dialog.getByText('Accepted', { exact: true }).waitFor();
  await dialog.getByRole('slider').fill('2');
  await dialog.getByText(/Since the accepted version of .*: /).waitFor();
  await axe(page, 'versions with an accepted one');
  await shot(page, 'versions-accepted');
  // The version that is chosen is saved as it was fetched.
  await dialog.getByRole('slider').fill('1');
  const [saved] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Save this version' }).click()]);
  assert.match(saved.suggestedFilename(), /^127\.0\.0\.1-\d+-news-\d{4}-\d\d-\d\dT[\d-]+\.html$/);
  const file = readFileSync(await saved.path(), 'utf8');
  assert.ok(file.startsWith('<!doctype html><title>Magazine') && file.includes('closed until the storm') && !file.includes('has a name'), file);
  await page.keyboard.press('Escape');
  const kept = (await ask(`versions?url=${url}`)).data.items;
  assert.deepEqual(kept.map((one) => one.accepted), [false, true, false]);
  const told3 = (await ask(`change?url=${url}`)).data;
  assert.deepEqual([told3.accepted, told3.severity_since_accepted], [kept[1].at, told3.severity]);
  const send = (body) => world.api(page, 'POST', '/projects/magazine/accepted', body);
  assert.equal((await send({ url: `http://${site.address}/nowhere` })).status >= 400, true);
  assert.equal((await send({ url: `http://${site.address}/news`, at: 'never' })).status, 400);
  await page.goto(`${world.base}/runs/${third}?tab=changes`);
  const severities = { none: 'Same text', small: 'Small', medium: 'Medium', large: 'Large', complete: 'All of it' };
  const cells = page.getByRole('row').filter({ hasText: '/news' }).getByRole('cell');
  await cells.nth(6).waitFor();
  assert.equal((await cells.nth(6).innerText()).trim(), severities[told3.severity]);

  // Versions open from the table of pages and from Why, too.
  await page.goto(`${world.base}/runs/${third}?tab=pages`);
  await page.getByRole('button', { name: /^Versions of .*\/news/ }).click();
  await dialog.getByRole('slider').fill('1');
  await dialog.locator('.text ins').filter({ hasText: 'closed until the storm' }).waitFor();
  await shot(page, 'versions-of-pages');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Why\? .*\/news/ }).click();
  await dialog.getByRole('button', { name: 'Show its versions' }).click();
  await dialog.getByRole('heading', { name: 'Versions of a page' }).waitFor();
  await dialog.locator('.text ins').filter({ hasText: 'has a name' }).waitFor();
  await page.keyboard.press('Escape');
  // A page that never changed has its only version to show.
  await page.getByRole('button', { name: /^Versions of .*\/read/ }).click();
  await dialog.getByText(/^One version is kept, of /).waitFor();
  await dialog.locator('.text').filter({ hasText: 'word' }).waitFor();
  await axe(page, 'the only version of a page');
  await shot(page, 'version-only');
  // What was refused above was asked to be; a page of one version has no change to show.
  assert.deepEqual(page.errors.filter((error) => !error.startsWith('Failed to load resource')), []);
});
