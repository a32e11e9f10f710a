// The picker: what is clicked together on cards, a table, a nested list and hostile markup is what a crawl then keeps.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gannet, shot, site, start, until } from './world.mjs';
import { click, place, settled, shownRows, snapshotReady } from './picker.mjs';

const things = ['Kettle', 'Lantern', 'Rope', 'Compass', 'Tarp', 'Stove'].map((name, i) => ({ name, price: 10 + i * 2.5, colour: ['red', 'blue', 'green'][i % 3] }));
const frame = (title, body) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><nav><a href="/">Home</a> <a href="/about">About us</a></nav><main><h1>${title}</h1>${body}</main><footer><ul><li>Imprint</li><li>Terms</li></ul></footer></body></html>`;

const pages = {
  '/cards': frame('Cards', `<div class="grid">${things.map((one, i) => `<article class="card"><h2><a href="/thing/${i}">${one.name}</a></h2><p class="price">€ ${one.price.toFixed(2)}</p>${i === 3 ? '' : `<p class="colour">${one.colour}</p>`}</article>`).join('')}</div>`),
  '/table': frame('Table', `<table><thead><tr><th>Name</th><th>Colour</th><th>Price</th></tr></thead><tbody>${things.map((one) => `<tr><td>${one.name}</td><td>${one.colour}</td><td>${one.price.toFixed(2)}</td></tr>`).join('')}</tbody></table>`),
  '/nested': frame('Nested', `<ul class="groups">${['One', 'Two'].map((group, g) => `<li class="group"><h3>${group}</h3><ul>${things.slice(g * 3, g * 3 + 3).map((one) => `<li class="item"><b>${one.name}</b> <i>${one.colour}</i></li>`).join('')}</ul></li>`).join('')}</ul>`),
  ...Object.fromEntries([0, 1].map((page) => [`/list/${page}`, frame(`List ${page}`, `<ul class="goods">${things.slice(page * 3, page * 3 + 3).map((one, i) => `<li class="good"><h2><a href="/thing/${page * 3 + i}">${one.name}</a></h2><p class="price">€ ${one.price.toFixed(2)}</p></li>`).join('')}</ul>${page ? '' : '<p><a class="on" href="/list/1">Further things</a></p>'}`)])),
  ...Object.fromEntries(things.map((one, i) => [`/thing/${i}`, frame(one.name, `<p class="about">The ${one.name} comes in ${one.colour}.</p>`)])),
  // Unclosed tags, a table in a paragraph, ids that repeat, scripts, an element over everything, attributes that break out.
  '/hostile': `<!doctype html><html><head><title>Hostile</title><base href="javascript:0"><meta http-equiv="refresh" content="0;url=/cards"><script>window.top.__ran = 1; document.body && (document.body.innerHTML = '')</script><style>.veil{position:fixed;inset:0;z-index:9999;pointer-events:none}</style></head>
<body onload="window.top.__ran = 2"><div class="veil"></div><p><table id=x><tr><td>before</table>
<div id=x class="list">${things.map((one, i) => `<div class="it${i % 2 ? ' odd' : ''}" id=x onclick="window.top.__ran=3"><span class="name" title='"><img src=x onerror=top.__ran=4>'>${one.name}</span><span class=colour>${one.colour}<b></span><a href="javascript:top.__ran=5">go</a></div>`).join('')}</div>
<form action="javascript:top.__ran=6"><input autofocus onfocus="top.__ran=7"></form><iframe srcdoc="<script>top.__ran=8</script>"></iframe><svg onload="top.__ran=9"><script>top.__ran=10</script></svg>`,
};

async function open(world, page, url) {
  await page.goto(`${world.base}/new?url=${encodeURIComponent(url)}`);
  await snapshotReady(page);
  await settled(page);
}

/** Drops what was proposed, then picks rows and fields by hand. */
async function build(page, { row, fields }) {
  await page.getByRole('button', { name: 'Pick rows' }).click();
  await click(page, row[0], row[1]);
  await click(page, row[0], row[2]);
  await page.getByRole('button', { name: 'Done' }).click();
  await settled(page);
  for (const name of await page.locator('.fields input.name').evaluateAll((inputs) => inputs.map((input) => input.value))) {
    await page.getByRole('button', { name: `Options of ${name}`, exact: true }).click();
    await page.getByRole('button', { name: 'Remove field' }).click();
    await settled(page);
  }
  for (const [name, selector, n] of fields) {
    await page.getByRole('button', { name: 'Add a field' }).click();
    await click(page, selector, n);
    await page.getByRole('button', { name: 'Done' }).click();
    const input = page.locator('.fields input.name').last();
    await input.fill(name);
    await input.press('Enter');
    await settled(page);
  }
}

/** Crawls what was built and gives the rows that were kept. */
async function crawl(world, page, name) {
  await page.getByLabel('Project name').fill(name);
  await page.getByRole('button', { name: 'Crawl', exact: true }).click();
  await page.waitForURL(/\/runs\//);
  const id = page.url().match(/\/runs\/([^?/]+)/)[1];
  await until(`run ${id} to end`, async () => !['running', 'stopping'].includes((await world.api(page, 'GET', `/runs/${id}`)).data.state), 60);
  return rowsOf(world, page, name);
}

async function rowsOf(world, page, name) {
  const { data } = await world.api(page, 'GET', `/projects/${name}/export/rows.jsonl`);
  const lines = typeof data === 'string' ? data.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [data];
  return lines;
}

const pickOf = (rows, names) => rows.map((row) => Object.fromEntries(names.map((name) => [name, String(row[name] ?? row.fields?.[name] ?? '')]))).sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
const same = (got, wanted, names) => assert.deepEqual(pickOf(got, names), pickOf(wanted, names));

test('what is picked is what is kept', async (t) => {
  const served = await site(t, pages);
  const world = await start(t, { allow: [served.address] });
  const page = await world.page();

  await t.test('cards, one without a value', async () => {
    await open(world, page, `${served.url}/cards`);
    await build(page, { row: ['article h2', 0, 1], fields: [['name', 'article h2', 0], ['colour', 'article .colour', 0]] });
    const wanted = things.map((one, i) => ({ name: one.name, colour: i === 3 ? '' : one.colour }));
    same((await shownRows(page)).map((row) => ({ ...row, colour: row.colour.startsWith('–') ? '' : row.colour })), wanted, ['name', 'colour']);
    await shot(page, 'picker-cards');
    same(await crawl(world, page, 'cards'), wanted, ['name', 'colour']);
  });

  await t.test('a table', async () => {
    await open(world, page, `${served.url}/table`);
    await build(page, { row: ['tbody tr td', 0, 3], fields: [['name', 'tbody td', 0], ['price', 'tbody td', 2]] });
    const wanted = things.map((one) => ({ name: one.name, price: one.price }));
    assert.equal((await shownRows(page)).length, wanted.length);
    same(await crawl(world, page, 'table'), wanted, ['name', 'price']);
  });

  await t.test('every list is outlined, and told by what it holds', async () => {
    await open(world, page, `${served.url}/cards`);
    const entries = page.locator('.lists .list');
    assert.ok((await entries.count()) > 1, 'cards and other lists');
    await until('the other lists outlined', async () => (await page.locator('svg g.lists rect').count()) > 0);
    assert.match(await entries.first().innerText(), /[a-z]+, [a-z]+[^]*6 rows × \d+ fields/);
    assert.equal(await page.locator('svg g.rows rect').count(), 6);
    await entries.last().hover();
    await until('its rows shown', async () => (await page.locator('svg g.shown rect').count()) > 1);
  });

  await t.test('the link to the next page and the pages behind the rows are picked', async () => {
    await open(world, page, `${served.url}/list/0`);
    const sentence = () => page.locator('.scope p').innerText();
    await page.getByRole('button', { name: 'Pick in the page', exact: true }).click();
    await click(page, 'a.on');
    await page.getByRole('button', { name: 'Done' }).click();
    await settled(page);
    assert.match(await page.getByLabel('Selector of the link').inputValue(), /on/);
    assert.match(await sentence(), /Follow/);
    const host = served.address.split(':')[0];
    assert.ok((await sentence()).includes(host), await sentence());
    const link = await page.locator('.fields .kind').evaluateAll((kinds) => kinds.findIndex((kind) => kind.value === 'link'));
    const name = await page.locator('.fields input.name').nth(link).inputValue();
    await page.getByRole('button', { name: `Options of ${name}`, exact: true }).click();
    await page.getByRole('button', { name: /Open each row/ }).click();
    await page.waitForFunction(() => document.querySelector('iframe')?.contentDocument?.querySelector('p.about'));
    await settled(page);
    await page.getByRole('button', { name: 'Add a field' }).click();
    await click(page, 'p.about');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.waitForTimeout(400);
    await settled(page);
    // Of the crawl from its first page, whatever page is open.
    assert.match(await sentence(), /Follow/);
    await shot(page, 'picker-detail');
    const rows = await crawl(world, page, 'behind');
    const about = rows.map((row) => row.about ?? row.fields?.about).filter(Boolean).sort();
    assert.deepEqual(about, things.map((one) => `The ${one.name} comes in ${one.colour}.`).sort());
  });

  await t.test('fields are changed and saved later', async () => {
    await page.goto(`${world.base}/projects/table/fields`);
    await snapshotReady(page);
    await settled(page);
    const input = page.locator('.fields input.name').first();
    await input.fill('what');
    await input.press('Enter');
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save fields' }).click();
    await page.getByText('The fields are saved').waitFor();
    const kept = (await world.api(page, 'GET', '/projects/table')).data.project.fields;
    assert.ok(Object.values(kept).some((type) => type.read?.what), JSON.stringify(kept));
  });

  await t.test('a nested list', async () => {
    await open(world, page, `${served.url}/nested`);
    await build(page, { row: ['li.item b', 0, 1], fields: [['name', 'li.item b', 0], ['colour', 'li.item i', 0]] });
    const wanted = things.map(({ name, colour }) => ({ name, colour }));
    same(await shownRows(page), wanted, ['name', 'colour']);
    same(await crawl(world, page, 'nested'), wanted, ['name', 'colour']);
  });

  await t.test('hostile markup, none of whose scripts runs', async () => {
    await open(world, page, `${served.url}/hostile`);
    await build(page, { row: ['.list .name', 0, 1], fields: [['name', '.list .name', 0], ['colour', '.list .colour', 0]] });
    const wanted = things.map(({ name, colour }) => ({ name, colour }));
    same(await shownRows(page), wanted, ['name', 'colour']);
    await shot(page, 'picker-hostile');
    same(await crawl(world, page, 'hostile'), wanted, ['name', 'colour']);
    assert.equal(await page.evaluate(() => window.__ran), undefined);
  });

  await t.test('a click on a marked element leaves it out, wider and narrower go up and back, all by keys too', async () => {
    await open(world, page, `${served.url}/cards`);
    const bar = page.locator('.page-pane .bar');
    await page.getByRole('button', { name: 'Pick rows' }).click();
    const { x, y } = await place(page, 'article h2', 0);
    await page.mouse.move(x, y);
    await bar.getByText(/would select/).waitFor();
    await click(page, 'article h2', 0);
    await click(page, 'article h2', 1);
    await bar.getByText('6 matches').waitFor();
    await click(page, 'article h2', 5);
    await page.waitForFunction(() => !/6 matches/.test(document.querySelector('.page-pane .bar').textContent));
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Undo' }).click();
    await settled(page);

    await page.locator('[role=application]').focus();
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByText('Element path').click();
    const way = page.getByRole('list', { name: 'Way to the element' });
    await way.getByRole('button', { name: /^html/ }).click();
    await settled(page);
    for (const step of [/^body/, /^main/, /^div/, /^article/, /^p/]) {
      await page.getByRole('list', { name: 'Inside it' }).getByRole('button', { name: step }).first().focus();
      await page.keyboard.press('Enter');
      await settled(page);
    }
    await page.getByRole('button', { name: 'Pick this element' }).focus();
    await page.keyboard.press('Enter');
    await bar.getByText(/matches/).waitFor();
    const selector = () => page.locator('.fields .picking input.mono').inputValue();
    const before = await selector();
    await page.locator('[role=application]').focus();
    await page.keyboard.press('w');
    await until('a wider selector', async () => (await selector()) !== before);
    await page.keyboard.press('n');
    await until('the narrower selector again', async () => (await selector()) === before);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('button', { name: 'Done' }).count(), 0);
  });

  await t.test('a selector typed by hand says what it finds, a wrong one what is wrong', async () => {
    await open(world, page, `${served.url}/table`);
    const rows = page.getByLabel('Selector of a row');
    await rows.fill('//tbody/tr[');
    await page.locator('.said.wrong').first().waitFor();
    await rows.fill('//tbody/tr');
    await page.getByText('6 matches').first().waitFor();
    await rows.press('Enter');
    await settled(page);
    assert.equal((await shownRows(page)).length, 6);
    assert.equal(await page.locator('.said.wrong').count(), 0);
  });

  await t.test('made here, exported, imported and crawled by the command line: the same rows and the same file', async () => {
    const first = await world.api(page, 'GET', '/projects/cards/file');
    assert.match(first.data, /project: cards/);
    const folder = mkdtempSync(join(tmpdir(), 'gannet-yaml-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'again.yaml');
    writeFileSync(file, first.data.replace('project: cards', 'project: again'));
    await page.goto(world.base);
    await page.locator('input[type=file]').setInputFiles(file);
    await page.waitForURL(/\/projects\/again/);
    const second = await world.api(page, 'GET', '/projects/again/file');
    assert.equal(second.data.replace('project: again', 'project: cards'), first.data);
    const data = join(folder, 'data');
    await gannet('crawl', '-p', file, '--data', data, '--allow-addresses', served.address, '--quiet');
    const printed = await gannet('rows', 'again', '--data', data, '--json');
    const rows = printed.trim().split('\n').map((line) => JSON.parse(line));
    same(rows, await rowsOf(world, page, 'cards'), ['name', 'colour']);
  });
  assert.deepEqual(page.errors.filter((one) => !/Content Security Policy|sandbox|ERR_|404/.test(one)), []);
});
