// Script injected into every field of a crawled page never runs, wherever the UI shows it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { site, start, until } from './world.mjs';

const attacks = [
  '<script>top.__ran=1</script>',
  '<img src=x onerror="top.__ran=2">',
  '"><svg onload="top.__ran=3">',
  "'-top.__ran=4-'",
  '{@html "<img src=x onerror=top.__ran=5>"}',
  '</textarea><script>top.__ran=6</script>',
  '<a href="javascript:top.__ran=7">x</a>',
  '${top.__ran=8}{{top.__ran=9}}',
];
const escape = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

const list = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escape(attacks[0])} Evil list</title><meta name="description" content="${escape(attacks[1])}"></head><body>
<h1>${escape(attacks[2])}</h1><ul class="evil">${attacks
  .map(
    (attack, i) => `<li class="thing"><h2>${escape(attack)} evil${i}</h2><a class="go" href="/evil/${i}?q=${encodeURIComponent(attack)}">${escape(attack)}</a>
<a class="js" href="javascript:top.__ran=2${i}">run</a><img class="pic" src="javascript:top.__ran=3${i}" alt="${escape(attack)}"><p class="text">${escape(attack)}</p><time datetime="${escape(attack)}">${escape(attack)}</time></li>`,
  )
  .join('')}</ul></body></html>`;

const project = (url) => ({
  version: 1,
  project: 'evil',
  start: [`${url}/`],
  crawl: { rate: 'unlimited' },
  fields: {
    list: {
      rows: 'li.thing',
      read: {
        title: 'h2',
        go: { css: 'a.go', kind: 'link' },
        js: { css: 'a.js', kind: 'link' },
        pic: { css: 'img', kind: 'image' },
        text: { css: 'p.text', kind: 'html' },
        time: { css: 'time', kind: 'date' },
        price: { css: 'p.text', kind: 'price' },
      },
    },
  },
  index: {},
});

test('script in every field of a page never runs anywhere', async (t) => {
  const served = await site(t, (path) => (path === '/robots.txt' ? undefined : list));
  const world = await start(t, { allow: [served.address] });
  const page = await world.page();
  page.on('dialog', () => assert.fail('a dialog opened'));
  await page.goto(world.base);
  const made = await world.api(page, 'POST', '/projects', { project: project(served.url) });
  assert.equal(made.status, 201, JSON.stringify(made.data));
  const run = await world.api(page, 'POST', '/projects/evil/runs', {});
  assert.equal(run.status, 201, JSON.stringify(run.data));
  const { id } = run.data;
  await until('the run to end', async () => (await world.api(page, 'GET', `/runs/${id}`)).data.state === 'completed', 60);
  await until('rows in the index', async () => (await world.api(page, 'GET', '/indexes/evil/search?q=evil1')).data.hits?.length > 0, 30);

  const paths = [
    '/', `/new?url=${encodeURIComponent(`${served.url}/`)}`, `/new?url=${encodeURIComponent(`${served.url}/${attacks[1]}`)}`,
    '/projects', ...['', '/fields', '/settings', '/settings?view=yaml', '/runs', '/data', '/index', '/map'].map((tab) => `/projects/evil${tab}`),
    '/runs', ...['live', 'pages', 'rows', 'links', 'changes', 'duplicates', 'log', 'settings'].map((tab) => `/runs/${id}?tab=${tab}`),
    '/simulator', '/search', ...['table', 'cards', 'list'].map((layout) => `/search/evil?q=evil&layout=${layout}`),
    `/search/evil?q=${encodeURIComponent(attacks[1])}`, `/search/evil?q=evil1&explain=1`, `/search/evil?q=${encodeURIComponent(attacks[0])}`,
    `/s/evil?q=evil`, `/s/evil?q=${encodeURIComponent(attacks[0])}`, `/projects/${encodeURIComponent(attacks[1])}`, `/help/${encodeURIComponent(attacks[1])}`,
  ];
  let shown = 0;
  const harmless = async (path) => {
    await page.waitForLoadState('networkidle').catch(() => {});
    await page.waitForTimeout(100);
    if ((await page.locator('body').innerText()).includes('onerror')) shown += 1;
    const ran = await Promise.all(page.frames().map((frame) => frame.evaluate(() => window.__ran).catch(() => undefined)));
    assert.deepEqual(ran.filter((one) => one !== undefined), [], path);
    const links = await page.locator('a[href]').evaluateAll((all) => all.map((one) => one.protocol).filter((one) => one !== 'http:' && one !== 'https:'));
    assert.deepEqual(links, [], `${path}: links`);
    const own = await page.evaluate(() => document.querySelectorAll('main img[onerror], main svg[onload], main script').length);
    assert.equal(own, 0, path);
  };
  for (const path of paths) {
    await page.goto(world.base + path);
    await harmless(path);
  }
  assert.ok(shown >= 5, `the attack is shown as text on ${shown} pages only`);

  // What opens over a page: why, a row, a kept copy.
  const evil = page.getByRole('dialog').getByText(/onerror/).first();
  await page.goto(`${world.base}/runs/${id}?tab=pages`);
  await page.getByRole('button', { name: /^Why\? .*onerror/ }).first().click();
  await evil.waitFor();
  await harmless('why');
  await page.goto(`${world.base}/projects/evil/data`);
  await page.getByRole('row', { name: /onerror/ }).first().getByRole('gridcell').first().click();
  await evil.waitFor();
  await harmless('a row');
  await page.goto(`${world.base}/search/evil?q=kind:page+evil`);
  await page.getByRole('button', { name: 'Kept copy' }).first().click();
  await page.getByRole('dialog').getByText(/__ran=/).first().waitFor();
  await harmless('a kept copy');
});

test('a foreign page, open in the same browser, reads nothing of the API and changes nothing', async (t) => {
  const world = await start(t);
  const page = await world.page();
  await page.goto(world.base);
  const { csrf } = (await world.api(page, 'GET', '/session')).data;
  const before = await world.api(page, 'GET', '/projects');
  // Another port of the same machine: browsers send the cookie along, so that only the server's own checks are left.
  const foreign = await site(t, {
    '/': '<!doctype html><title>Foreign</title><form id="f" method="post" enctype="text/plain" target="out"><input name="x" value="y"></form><iframe name="out"></iframe>',
  });
  const other = await world.page({ context: page.context() });
  const sent = [];
  other.on('request', (one) => one.url().startsWith(world.base) && sent.push(one.allHeaders()));
  await other.goto(foreign.url);
  const project = JSON.stringify({ project: { version: 1, project: 'stolen', start: ['http://shop.test/'] } });
  const read = await other.evaluate(
    async ([base, csrf, project]) => {
      const found = [];
      const look = async (path, options = {}) => {
        try {
          const answer = await fetch(`${base}/api/v1${path}`, { credentials: 'include', ...options });
          const text = await answer.text();
          if (text) found.push(`${path}: ${text.slice(0, 80)}`);
        } catch {
          // Refused, as it should be.
        }
      };
      await look('/session');
      await look('/projects');
      await look('/projects', { mode: 'no-cors' });
      for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) {
        await look('/projects', { method: 'POST', mode: 'no-cors', headers: { 'content-type': type }, body: project });
        // Even one who has guessed the token.
        await look('/projects', { method: 'POST', headers: { 'content-type': type, 'x-gannet-csrf': csrf }, body: project });
      }
      await look('/tokens', { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{"name":"stolen"}' });
      const heard = await new Promise((resolve) => {
        const events = new EventSource(`${base}/api/v1/events`, { withCredentials: true });
        events.onopen = () => resolve(true);
        events.onerror = () => resolve(false);
      });
      if (heard) found.push('events are heard');
      const form = document.querySelector('form');
      form.action = `${base}/api/v1/samples/shop`;
      const framed = new Promise((resolve) => document.querySelector('iframe').addEventListener('load', resolve, { once: true }));
      form.submit();
      await framed;
      return found;
    },
    [world.base, csrf, project],
  );
  assert.deepEqual(read, []);
  const headers = await Promise.all(sent);
  assert.ok(headers.some((one) => /cookie/i.test(Object.keys(one).join()) && one.cookie), 'the browser sent the cookie along');
  assert.deepEqual((await world.api(page, 'GET', '/projects')).data, before.data);
  assert.deepEqual((await world.api(page, 'GET', '/tokens')).data.items, []);
});

test('private addresses are refused in the URL box, with words', async (t) => {
  const served = await site(t, { '/': list });
  const world = await start(t);
  const page = await world.page();
  for (const url of [served.url, 'http://169.254.169.254/latest/meta-data/', 'http://[::1]:22/', 'http://10.0.0.1/', `http://localhost:${world.port}/api/v1/session`]) {
    await page.goto(`${world.base}/new?url=${encodeURIComponent(url)}`);
    await page.getByText('The page could not be fetched').waitFor();
    await page.getByText(/Addresses of this machine and its network are not asked/).waitFor();
    assert.equal(await page.locator('iframe').count(), 0, url);
  }
});
