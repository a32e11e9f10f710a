// One project, two editors: the second is told, and chooses.
import assert from 'node:assert/strict';
import test from 'node:test';
import { axe, shot, start, until } from './world.mjs';

async function settings(world, page) {
  await page.goto(`${world.base}/projects/both/settings`);
  await page.getByLabel('max_pages', { exact: true }).waitFor();
}

const kept = async (world, page) => (await world.api(page, 'GET', '/projects/both')).data.project.crawl.max_pages;

test('whoever saves second is told, and nothing is lost', { timeout: 90_000 }, async (t) => {
  const world = await start(t);
  const one = await world.page();
  await one.goto(world.base);
  await world.api(one, 'POST', '/projects', { project: { version: 1, project: 'both', start: ['https://shop.test/'], crawl: { max_pages: 10 } } });
  const two = await world.page();
  await settings(world, one);
  await settings(world, two);

  await one.getByLabel('max_pages', { exact: true }).fill('20');
  await one.getByRole('button', { name: 'Save', exact: true }).click();
  await one.getByText('Everything is saved').waitFor();
  assert.equal(await kept(world, one), 20);

  await two.getByLabel('max_pages', { exact: true }).fill('30');
  await two.getByRole('button', { name: 'Save', exact: true }).click();
  await two.getByText('Someone else has changed this project meanwhile').waitFor();
  assert.equal(await kept(world, one), 20, 'theirs still stands');
  assert.equal(await two.getByLabel('max_pages', { exact: true }).inputValue(), '30', 'ours is not lost');
  await axe(two, 'a conflict');
  await shot(two, 'project-conflict');
  await two.getByRole('button', { name: 'Save mine over theirs' }).click();
  await until('ours to be kept', async () => (await kept(world, one)) === 30);

  await one.getByLabel('max_pages', { exact: true }).fill('40');
  await one.getByRole('button', { name: 'Save', exact: true }).click();
  await one.getByRole('button', { name: 'Take theirs, drop mine' }).click();
  await until('theirs in the form', async () => (await one.getByLabel('max_pages', { exact: true }).inputValue()) === '30');
  assert.equal(await kept(world, one), 30);
});

test('mistakes in the YAML are shown in their place, and the form takes over what is right', { timeout: 90_000 }, async (t) => {
  const world = await start(t);
  const page = await world.page();
  await page.goto(world.base);
  await world.api(page, 'POST', '/projects', { project: { version: 1, project: 'both', start: ['https://shop.test/'], crawl: { max_pages: 10 } } });
  await page.goto(`${world.base}/projects/both/settings?view=yaml`);
  const editor = page.getByLabel('The project as YAML');
  const text = await editor.inputValue();
  assert.match(text, /max_pages: 10/);
  await editor.fill(text.replace('max_pages', 'max_pges'));
  await page.getByRole('button', { name: /^Line \d+/ }).waitFor();
  await page.getByText(/max_pages/).first().waitFor();
  assert.ok(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled());
  await axe(page, 'a mistake in the YAML');
  await shot(page, 'project-yaml-mistake');
  await editor.fill(text.replace('max_pages: 10', 'max_pages: 77'));
  await page.getByRole('button', { name: /^Line \d+/ }).waitFor({ state: 'hidden' });
  await page.getByRole('link', { name: 'Form' }).click();
  await until('the form has it', async () => (await page.getByLabel('max_pages', { exact: true }).inputValue()) === '77');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await until('it is kept', async () => (await kept(world, page)) === 77);
});

test('a project is deleted only after its name was typed', { timeout: 90_000 }, async (t) => {
  const world = await start(t);
  const page = await world.page();
  await page.goto(world.base);
  await world.api(page, 'POST', '/projects', { project: { version: 1, project: 'both', start: ['https://shop.test/'] } });
  await page.goto(`${world.base}/projects/both`);
  await page.locator('#main summary', { hasText: 'More' }).click();
  await page.getByRole('button', { name: 'Delete the project…' }).click();
  const dialog = page.getByRole('dialog');
  const button = dialog.getByRole('button', { name: 'Delete for good' });
  assert.ok(await button.isDisabled());
  await dialog.getByLabel('Type “both” to go on').fill('both');
  await axe(page, 'deleting');
  await shot(page, 'project-delete');
  await button.click();
  await page.waitForURL(`${world.base}/projects`);
  assert.equal((await world.api(page, 'GET', '/projects/both')).status, 404);
});
