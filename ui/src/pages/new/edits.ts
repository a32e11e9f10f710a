// Edits of a project's page types, as plain values: what the picker and the field list do to the file. Nothing else
// in it is touched, so that what the UI does not know survives.
import type { FieldFile, Kind, PageType, ProjectFile } from '../../api/projects';
import type { List } from '../../api/previews';

/** Where a field's value comes from. */
export type Source = 'css' | 'xpath' | 'header' | 'json_ld' | 'microdata' | 'meta' | 'json';

const SOURCES: Source[] = ['css', 'xpath', 'header', 'json_ld', 'microdata', 'meta', 'json'];

export interface FieldView {
  name: string;
  source: Source;
  /** The selector, path or name, as text. */
  text: string;
  kind: Kind;
  attribute: string | null;
  /** Page type that the link leads to. */
  follow: string | null;
  required: boolean;
  all: boolean;
  file: FieldFile;
}

/** A selector is XPath if it looks like it: the rule of the project file. */
export function isXPath(text: string): boolean {
  return /^(\/|\.\/|\.\.|\.$|\(|@|[a-z-]+::(?!text$|attr\()|[a-z-]+\()/i.test(text) && !/^(:|\.[\w-])/.test(text);
}

export function fieldView(name: string, value: string | FieldFile): FieldView {
  const file: FieldFile = typeof value === 'string' ? { [isXPath(value) ? 'xpath' : 'css']: value } : value;
  const source = SOURCES.find((one) => file[one] !== undefined) ?? 'css';
  const text = file[source];
  return {
    name,
    source,
    text: typeof text === 'string' ? text : text === undefined ? '' : JSON.stringify(text),
    kind: file.kind ?? 'text',
    attribute: file.attribute ?? null,
    follow: typeof file.follow === 'string' ? file.follow : (file.follow?.page ?? null),
    required: file.required ?? false,
    all: file.all ?? false,
    file,
  };
}

export function pageType(project: ProjectFile, name: string): PageType {
  return project.fields?.[name] ?? {};
}

export function pageTypes(project: ProjectFile): string[] {
  return Object.keys(project.fields ?? {}).filter((name) => name !== 'from');
}

export function fieldsOf(project: ProjectFile, type: string): FieldView[] {
  return Object.entries(pageType(project, type).read ?? {}).map(([name, value]) => fieldView(name, value));
}

export function withType(project: ProjectFile, name: string, change: Partial<PageType>): ProjectFile {
  const type: PageType = { ...pageType(project, name), ...change };
  for (const key of Object.keys(type)) if (type[key] === undefined) delete type[key];
  return { ...project, fields: { ...project.fields, [name]: type } };
}

/** Sets keys of a field; undefined removes a key. A new selector replaces the old one, of whatever kind it was. */
export function withField(project: ProjectFile, type: string, name: string, change: Partial<FieldFile>): ProjectFile {
  const read = pageType(project, type).read ?? {};
  const old = read[name] === undefined ? {} : fieldView(name, read[name]).file;
  const field: FieldFile = { ...old };
  if (SOURCES.some((source) => change[source] !== undefined)) for (const source of SOURCES) delete field[source];
  Object.assign(field, change);
  for (const key of Object.keys(field)) if (field[key] === undefined) delete field[key];
  if (field.kind === 'text') delete field.kind;
  return withType(project, type, { read: { ...read, [name]: field } });
}

/** A name that is free, from a wish. */
export function freeName(project: ProjectFile, type: string, wish: string): string {
  const taken = pageType(project, type).read ?? {};
  const base = wish.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '').slice(0, 40) || 'field';
  if (!(base in taken)) return base;
  for (let n = 2; ; n += 1) if (!(`${base}_${n}` in taken)) return `${base}_${n}`;
}

/** Renames in place; the key of the rows follows. */
export function renamed(project: ProjectFile, type: string, from: string, to: string): ProjectFile {
  const page = pageType(project, type);
  const read = Object.fromEntries(Object.entries(page.read ?? {}).map(([name, value]) => [name === from ? to : name, value]));
  const swap = (name: string) => (name === from ? to : name);
  const key = Array.isArray(page.key) ? page.key.map(swap) : page.key === undefined ? undefined : swap(page.key);
  return withType(project, type, { read, key });
}

export function without(project: ProjectFile, type: string, name: string): ProjectFile {
  const page = pageType(project, type);
  const gone = page.read?.[name];
  const read = Object.fromEntries(Object.entries(page.read ?? {}).filter(([other]) => other !== name));
  const names = Array.isArray(page.key) ? page.key : page.key === undefined ? [] : [page.key];
  const key = names.filter((other) => other !== name);
  let changed = withType(project, type, { read, key: key.length ? key : undefined });
  // A page type that only this field led to would take other pages.
  const target = gone === undefined ? null : fieldView(name, gone).follow;
  if (target && !followers(changed, target).length) changed = withoutType(changed, target);
  return changed;
}

export function withoutType(project: ProjectFile, name: string): ProjectFile {
  const fields = Object.fromEntries(Object.entries(project.fields ?? {}).filter(([other]) => other !== name));
  return { ...project, fields };
}

/** The project without page types that read nothing yet. */
export function finished(project: ProjectFile): ProjectFile {
  const fields = Object.fromEntries(Object.entries(project.fields ?? {}).filter(([, page]) => Object.keys(page.read ?? {}).length));
  const { fields: _, ...rest } = project;
  return Object.keys(fields).length ? { ...rest, fields } : rest;
}

function followers(project: ProjectFile, target: string): FieldView[] {
  return pageTypes(project).flatMap((type) => fieldsOf(project, type).filter((field) => field.follow === target));
}

/** Another list in place of what a page type reads. Its pages behind the rows go with it. */
export function withList(project: ProjectFile, type: string, list: List): ProjectFile {
  let changed = project;
  for (const field of fieldsOf(project, type)) if (field.follow) changed = withoutType(changed, field.follow);
  const { rows, key, read, next, links } = Object.values(list.template)[0] ?? {};
  return withType(changed, type, { rows, key, read, next: next ?? pageType(project, type).next, links: links ?? pageType(project, type).links });
}

/** How the list goes on, for the form. */
export function nextView(page: PageType): { how: 'none' | 'link' | 'numbers' | 'url'; text: string } {
  const next = page.next;
  if (next === undefined || next === null) return { how: 'none', text: '' };
  if (typeof next === 'string') return { how: 'link', text: next };
  if (next.link) return { how: 'link', text: next.link };
  if (next.numbers) return { how: 'numbers', text: next.numbers };
  if (next.url) return { how: 'url', text: next.url };
  return { how: 'none', text: '' };
}

export function withNext(project: ProjectFile, type: string, how: 'none' | 'link' | 'numbers' | 'url', text: string): ProjectFile {
  const old = pageType(project, type).next;
  const to = typeof old === 'object' && old !== null ? old.to : undefined;
  const next: PageType['next'] = how === 'none' || !text ? undefined : how === 'link' ? text : how === 'numbers' ? { numbers: text } : to ? { url: text, to } : { url: text };
  return withType(project, type, { next });
}

/** The pages behind the rows: a page type of their own, told from others by how their addresses begin. It comes
    first, because lists of related things stand on such pages as well. */
export function withDetail(project: ProjectFile, type: string, field: string, links: string[]): { project: ProjectFile; type: string } {
  let name = 'detail';
  for (let n = 2; project.fields?.[name]; n += 1) name = `detail_${n}`;
  const pattern = commonStart(links, project.start[0] ?? '');
  const page: PageType = { ...(pattern ? { url: [pattern] } : {}), read: { heading: { css: 'h1' } }, links: [] };
  const followed = withField(project, type, field, { kind: 'link', follow: name });
  const fields = pattern ? { [name]: page, ...followed.fields } : { ...followed.fields, [name]: page };
  return { project: { ...followed, fields }, type: name };
}

export function withoutDetail(project: ProjectFile, type: string, field: string): ProjectFile {
  const target = fieldsOf(project, type).find((one) => one.name === field)?.follow;
  let changed = withField(project, type, field, { follow: undefined });
  if (target && !followers(changed, target).length) changed = withoutType(changed, target);
  return changed;
}

/** What all these addresses' paths begin with, up to a slash, as a pattern; null when that is no more than the site,
    or the list itself would be taken. */
export function commonStart(links: string[], list: string): string | null {
  const paths: string[] = [];
  for (const link of links) {
    try {
      paths.push(new URL(link, list || undefined).pathname);
    } catch {
      // Not an address: says nothing.
    }
  }
  const first = paths[0];
  if (first === undefined) return null;
  let start = first.slice(0, first.lastIndexOf('/') + 1);
  for (const path of paths) {
    while (start && !path.startsWith(start)) start = start.slice(0, start.slice(0, -1).lastIndexOf('/') + 1);
  }
  if (start.length < 2) return null;
  try {
    if (new URL(list).pathname.startsWith(start)) return null;
  } catch {
    // No list to spare.
  }
  return `${start}*`;
}

/** A project's name from its address: `shop.test/list` gives `shop-list`. */
export function nameFrom(url: string): string {
  try {
    const { hostname, pathname } = new URL(url);
    const host = /^[\d.[]/.test(hostname) ? 'site' : (hostname.replace(/^www\./, '').split('.')[0] ?? 'site');
    const last = pathname.split('/').filter(Boolean).pop()?.replace(/\.\w+$/, '') ?? '';
    return [host, last].filter(Boolean).join('-').toLowerCase().replace(/[^a-z0-9._-]+/g, '-').replace(/^-+|-+$/g, '').slice(0, 64) || 'site';
  } catch {
    return 'site';
  }
}
