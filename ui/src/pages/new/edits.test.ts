import { expect, test } from 'vitest';
import type { ProjectFile } from '../../api/projects';
import { commonStart, fieldsOf, finished, freeName, isXPath, nameFrom, renamed, withDetail, withField, withList, withNext, without, withoutDetail } from './edits';

const shop: ProjectFile = {
  version: 1,
  project: 'shop',
  start: ['https://shop.test/list'],
  crawl: { rate: '1/s' },
  fields: { list: { rows: 'li', key: ['url'], read: { title: 'h2', url: { css: 'a', kind: 'link', clean: ['trim'] } }, next: 'a.next', links: [] } },
};

test('a selector is in the language it looks like', () => {
  for (const text of ['//a', './a', '..', '.', '(//a)[1]', '@href', 'descendant::a', 'string(.//h2)', 'normalize-space()']) expect(isXPath(text), text).toBe(true);
  for (const text of ['.price', 'a', 'h2 > a::text', 'a::attr(href)', 'li:nth-child(2)', '#x', '[href]', '*', '']) expect(isXPath(text), text).toBe(false);
});

test('a new selector replaces the old one and keeps the rest', () => {
  const changed = withField(shop, 'list', 'url', { xpath: './/a' });
  expect(changed.fields?.list?.read?.url).toEqual({ xpath: './/a', kind: 'link', clean: ['trim'] });
  expect(changed.crawl).toBe(shop.crawl);
  expect(shop.fields?.list?.read?.url).toEqual({ css: 'a', kind: 'link', clean: ['trim'] });
});

test('renaming keeps the order and takes the key along', () => {
  const changed = renamed(shop, 'list', 'url', 'page');
  expect(Object.keys(changed.fields?.list?.read ?? {})).toEqual(['title', 'page']);
  expect(changed.fields?.list?.key).toEqual(['page']);
});

test('a removed field is no key any more', () => {
  expect(without(shop, 'list', 'url').fields?.list).not.toHaveProperty('key');
});

test('the page behind a row comes first and goes with its field', () => {
  const links = ['https://shop.test/product/a', '/product/b'];
  const { project, type } = withDetail(shop, 'list', 'url', links);
  expect(Object.keys(project.fields ?? {})).toEqual(['detail', 'list']);
  expect(project.fields?.[type]?.url).toEqual(['/product/*']);
  expect(fieldsOf(project, 'list')[1]?.follow).toBe('detail');
  expect(withoutDetail(project, 'list', 'url').fields).toEqual(shop.fields);
  expect(Object.keys(without(project, 'list', 'url').fields ?? {})).toEqual(['list']);
});

test('addresses that begin like the list or the whole site make no pattern', () => {
  const check = (links: string[], pattern: string | null) => expect(commonStart(links, 'https://shop.test/list/tents')).toBe(pattern);
  check(['/product/a', '/product/b'], '/product/*');
  check(['/product/a', '/item/b'], null);
  check(['/list/a', '/list/b'], null);
  check([], null);
});

test('another list takes the place of the fields', () => {
  const list = { rows: 'article', key: ['link'], read: { title: 'h3', link: { css: 'a', kind: 'link' as const } }, links: [] };
  const changed = withList(shop, 'list', { index: 1, name: 'article', rows: 3, row: { css: 'article' }, detail_field: 'link', nodes: [], next: null, fields: [], template: { list } });
  expect(changed.fields?.list).toEqual({ ...list, next: 'a.next' });
});

test('the way on is written in its short form', () => {
  expect(withNext(shop, 'list', 'numbers', '.pager a').fields?.list?.next).toEqual({ numbers: '.pager a' });
  expect(withNext(shop, 'list', 'link', '.more').fields?.list?.next).toBe('.more');
  expect(withNext(shop, 'list', 'none', '').fields?.list).not.toHaveProperty('next');
});

test('names are free and made of what names are made of', () => {
  expect(freeName(shop, 'list', 'Title')).toBe('title_2');
  expect(freeName(shop, 'list', '¿?')).toBe('field');
  expect(nameFrom('https://www.shop.test/list/Tents.html')).toBe('shop-tents');
  expect(nameFrom('http://127.0.0.1:8080/shop/tents/')).toBe('site-tents');
});

test('a page type that reads nothing yet is left out of the file, and everything else is kept', () => {
  const { project } = withDetail(shop, 'list', 'url', ['/product/a']);
  const begun = { ...project, fields: { ...project.fields, empty: { rows: 'x', read: {} } } };
  expect(finished(begun)).toEqual(project);
  expect(finished({ project: 'a', start: [], fields: { list: { read: {} } } })).toEqual({ project: 'a', start: [] });
});
