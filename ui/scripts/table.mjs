// `cargo xtask bench table`: a real server on a filled data directory, asked through its API and looked at in Chromium.
// Prints `measure:` lines; ends with 1 when the first rows of a filter or sort took longer than 100 ms, or the page's
// main thread was held longer than that.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const [bin, data, ui] = process.argv.slice(2);
if (!data) throw new Error('usage: node scripts/table.mjs PROGRAM DATA [UI]');
const CHROMIUM = process.env.CHROMIUM ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const MOST_MILLIS = 100;
const ROUNDS = 5;
const SCROLLED = Number(process.env.GANNET_BENCH_SCROLL ?? 100_000);
const late = [];

const port = await new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});
const child = spawn(bin, ['serve', '--no-demo', '--data', data, '--bind', `127.0.0.1:${port}`, ...(ui ? ['--ui', ui] : [])], { stdio: ['ignore', 'pipe', 'inherit'] });
process.on('exit', () => child.kill());
const link = await new Promise((resolve, reject) => {
  let said = '';
  child.stdout.on('data', (bytes) => {
    said += bytes;
    const found = /http:\/\/\S+\/signin\?key=\S+/.exec(said);
    if (found) resolve(found[0]);
  });
  child.on('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
});
const base = new URL(link).origin;

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto(link);
const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
const ask = async (path) => {
  const answer = await fetch(`${base}/api/v1${path}`, { headers: { cookie } });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
};

const project = (await ask('/projects')).items[0].name;
const run = (await ask('/runs?limit=1')).items[0].id;
const figure = (what, value, unit = 'ms') => console.log(`measure: ${what} = ${value.toFixed(1)} ${unit}`);

/** The first time and the slowest of some more, of the first 50. */
async function timed(what, path, least = 1) {
  const times = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const began = performance.now();
    const { items } = await ask(path);
    times.push(performance.now() - began);
    if (items.length < least) throw new Error(`${what}: ${items.length} found`);
  }
  const [first, ...rest] = times;
  const slowest = Math.max(...rest);
  figure(`${what}, first`, first);
  figure(`${what}, then at most`, slowest);
  if (Math.max(first, slowest) > MOST_MILLIS) late.push(`${what}: ${first.toFixed(0)} ms, then ${slowest.toFixed(0)} ms`);
}

// Indexes of a directory that no server has seen are made at the start; that is waited for, not measured.
await ask(`/projects/${project}/rows?limit=50&sort=price`);
await ask(`/projects/${project}/pages?limit=50&outcome=failed`);

const rows = (query) => `/projects/${project}/rows?limit=50${query}`;
await timed('rows', rows(''));
for (const column of ['name', 'price', 'rating', 'seen', 'page', '_page', '_read', '_key', 'price_currency']) {
  for (const sign of ['', '-']) await timed(`rows by ${sign}${column}`, rows(`&sort=${sign}${column}`));
}
const filters = ['price<20', 'price>=500', 'price=123.45', 'price!=1', 'name~chair 4711', 'name!~kind 7', 'name=Chair 4711 of kind 7', 'rating=3', 'seen>2020', 'name empty', 'name not empty', '_page~/96/', 'page~item/99999'];
for (const filter of filters) await timed(`rows where ${filter}`, rows(`&filter=${encodeURIComponent(filter)}`), 0);
await timed('rows where price>500 by -name', rows('&filter=price%3E500&sort=-name'));
await timed('rows where name~chair 4 and rating=3 by -price, name', rows('&filter=name~chair%204&filter=rating%3D3&sort=-price,name'));
for (const change of ['new', 'changed', 'gone', 'unchanged']) {
  await timed(`rows that are ${change}`, rows(`&changes=${change}`));
  await timed(`rows that are ${change} by -price`, rows(`&changes=${change}&sort=-price`));
}
const end = (await ask(rows('&sort=name'))).next.split('.')[1];
await timed('rows by name, from 500,000 on', rows(`&sort=name&cursor=500000.${end}`), 0);
await timed('rows, from 900,000 on', rows(`&cursor=900000.${end}`), 0);
const key = (await ask(rows('&sort=-name'))).items[0]._key;
await timed('history of a row', `/projects/${project}/rows/history?key=${key}`);

const pages = (query) => `/projects/${project}/pages?limit=50${query}`;
await timed('pages', pages(''));
for (const outcome of Object.keys(await ask(`/projects/${project}/outcomes`))) await timed(`pages ${outcome}`, pages(`&outcome=${outcome}`));
await timed('pages waiting (none)', pages('&outcome=waiting'), 0);
await timed('pages beginning like http://shop.test/96/', pages(`&prefix=${encodeURIComponent('http://shop.test/96/')}`));
await timed('pages beginning like http://shop.test/96/1, failed', pages(`&outcome=failed&prefix=${encodeURIComponent('http://shop.test/96/')}`));
await timed('pages beginning like http://sh', pages(`&prefix=${encodeURIComponent('http://sh')}`));

const log = (query) => `/runs/${run}/log?limit=50${query}`;
await timed('log, its end', log(''));
await timed('log, its beginning', log('&cursor=0'));
await timed('log, errors', log('&level=error'));
await timed('log, a word', log('&text=shop.test/96/'));
await timed('log, a word that is not there', log('&text=no%20such%20word'), 0);
await timed('log, URLs', log('&url=/96/'));

// In the browser: how long the main thread is held while tables are opened, scrolled, filtered and sorted.
const cdp = await context.newCDPSession(page);
await cdp.send('Performance.enable');
await page.addInitScript(() => {
  window.held = [];
  new PerformanceObserver((list) => window.held.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask', buffered: true });
});
const heap = async () => {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find((one) => one.name === 'JSHeapUsedSize').value / (1 << 20);
};
/** Since the last time. */
const held = async (what) => {
  await page.waitForTimeout(300);
  const longest = await page.evaluate(() => Math.max(0, ...window.held.splice(0)));
  figure(`main thread held, ${what}`, longest);
  if (longest > MOST_MILLIS) late.push(`main thread, ${what}: ${longest.toFixed(0)} ms`);
};
const grid = page.getByRole('grid');
const filled = () => page.locator('[role=grid] [role=rowgroup] [role=row]').first().waitFor();
/** Scrolls down until so many rows have been seen. */
const scroll = (rows) =>
  grid.evaluate(async (frame, rows) => {
    for (let last = 0, still = 0; still < 400; ) {
      frame.scrollTop = frame.scrollHeight;
      await new Promise((resolve) => setTimeout(resolve, 5));
      const lines = frame.querySelectorAll('[role=rowgroup] [role=row]');
      const now = Number(lines[lines.length - 1]?.getAttribute('aria-rowindex') ?? 0);
      still = now > last ? 0 : still + 1;
      last = Math.max(now, last);
      if (last >= rows) return last;
    }
    return -1;
  }, rows);

for (const [name, path] of [['Data', `/projects/${project}/data`], ['Pages', `/runs/${run}?tab=pages`], ['Log', `/runs/${run}?tab=log`]]) {
  await page.goto(base + path);
  if (name === 'Log') {
    await page.locator('[role=log]').waitFor();
    await held('Log, its end opened');
    await page.locator('select').first().selectOption('all');
  }
  await filled();
  await held(`${name} opened`);
  await scroll(1_000);
  await held(`${name} scrolled a little`);
  const before = await heap();
  const began = performance.now();
  const wanted = name === 'Log' ? Math.min(SCROLLED, 90_000) : SCROLLED;
  const seen = await scroll(wanted);
  if (seen < wanted) late.push(`${name}: only ${seen} rows came by scrolling`);
  figure(`${name}, ${wanted} rows scrolled`, (performance.now() - began) / 1000, 's');
  await held(`${name} scrolled far`);
  const after = await heap();
  figure(`${name}, memory of the tab after 1,000 rows`, before, 'MiB');
  figure(`${name}, memory of the tab after ${wanted}`, after, 'MiB');
  if (after > before + 40) late.push(`${name}: the tab grew from ${before.toFixed(0)} to ${after.toFixed(0)} MiB`);
  if (name === 'Data') {
    for (const query of ['?sort=-price', '?filter=name~chair%204', '?sort=name&filter=rating%3D3', '?changes=changed']) {
      await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, path + query);
      await filled();
      await held(`Data${query}`);
    }
  } else if (name === 'Pages') {
    for (const query of ['&outcome=failed', '&outcome=fetched', '&prefix=http%3A%2F%2Fshop.test%2F96%2F']) {
      await page.evaluate((to) => { history.pushState(null, '', to); dispatchEvent(new PopStateEvent('popstate')); }, path + query);
      await filled();
      await held(`Pages${query}`);
    }
  } else {
    await page.locator('select').nth(1).selectOption('error');
    await filled();
    await held('Log, errors');
  }
}
const anonymous = /RssAnon:\s+(\d+)/.exec((await import('node:fs')).readFileSync(`/proc/${child.pid}/status`, 'utf8'));
if (anonymous) figure('memory of the server afterwards', Number(anonymous[1]) / 1024, 'MiB');
await browser.close();
child.kill();
for (const one of late) console.error(`too slow: ${one}`);
process.exitCode = late.length ? 1 : 0;
