// A search as its address says it: whoever opens the address sees the same hits.

import type { FacetCounts, FieldValue, Hit, IndexColumn } from '../../api/indexes';
import { readFilter } from './query';

export type Layout = 'list' | 'cards' | 'table';

export interface SearchState {
  q: string;
  /** Query texts that must hold beside `q`. */
  filters: string[];
  /** A column, with `-` before it for the largest first; the score if empty. */
  sort: string;
  /** By the kinds of the hits' fields if empty. */
  layout: Layout | '';
  /** Hits of a site stand together. */
  group: boolean;
  explain: boolean;
  /** Pages like this one, instead of a query. */
  like: string;
}

export const LAYOUTS: Layout[] = ['list', 'cards', 'table'];

export function readState(params: URLSearchParams): SearchState {
  const layout = params.get('layout') ?? '';
  return {
    q: params.get('q') ?? '',
    filters: params.getAll('filter').filter((filter) => filter !== ''),
    sort: params.get('sort') ?? '',
    layout: LAYOUTS.find((known) => known === layout) ?? '',
    group: params.get('group') === 'site',
    explain: params.get('explain') === '1',
    like: params.get('like') ?? '',
  };
}

/** What differs from the ordinary, as parameters of an address. */
export function writeState(state: SearchState): URLSearchParams {
  const params = new URLSearchParams();
  if (state.q) params.set('q', state.q);
  if (state.like) params.set('like', state.like);
  for (const filter of state.filters) params.append('filter', filter);
  if (state.sort) params.set('sort', state.sort);
  if (state.layout) params.set('layout', state.layout);
  if (state.group) params.set('group', 'site');
  if (state.explain) params.set('explain', '1');
  return params;
}

/** A row of fields, not a page. */
export function isRow(hit: Hit): boolean {
  return hit.id.startsWith('row ');
}

/** The query or a filter says what kind of hits is wanted. */
function saysKind(state: SearchState): boolean {
  const says = (text: string) => /(^|[\s(+-])kind:/.test(text);
  return state.like !== '' || says(state.q) || state.filters.some(says);
}

/** A table is one of rows, unless the search says what it wants. */
export function rowsOnly(state: SearchState): boolean {
  return state.layout === 'table' && !saysKind(state);
}

/** Pages and rows come mixed, the best first: the rows of the pages are worth asking for. */
export function mixed(state: SearchState, facets: FacetCounts[]): boolean {
  const kinds = facets.find((facet) => facet.column === 'kind')?.values.map(([value]) => value) ?? [];
  return !saysKind(state) && state.sort === '' && kinds.includes('row') && kinds.includes('page');
}

/** Hits with pages given way to their own rows, here or in `known`: a row says the same and more. It takes the better
    place. */
export function folded(hits: Hit[], known: Hit[] = []): Hit[] {
  const rows = new Map<string, Map<string, Hit>>();
  for (const hit of [...hits, ...known]) if (isRow(hit)) rows.set(hit.url, (rows.get(hit.url) ?? new Map()).set(hit.id, hit));
  const pages = new Map(hits.filter((hit) => !isRow(hit)).map((hit) => [hit.url, hit]));
  const told = new Set<string>();
  return hits.flatMap((hit) => {
    const own = isRow(hit) ? undefined : rows.get(hit.url);
    // A page of several rows is a list: it stands for itself.
    const taken = own?.size === 1 && !hit.pinned ? ([...own.values()][0] ?? hit) : hit;
    if (told.has(taken.id)) return [];
    told.add(taken.id);
    // The page has sentences where the row only has its fields again.
    const page = isRow(taken) && rows.get(taken.url)?.size === 1 ? pages.get(taken.url) : undefined;
    return [page?.passages.length ? { ...taken, passages: page.passages } : taken];
  });
}

/** The layout that suits the hits: rows with pictures as cards, rows with several fields as a table, pages as a list. */
export function layoutFor(hits: Hit[]): Layout {
  const rows = hits.filter((hit) => hit.fields.length > 1);
  if (rows.length * 2 <= hits.length) return 'list';
  const pictured = rows.filter((hit) => hit.image !== null);
  return pictured.length * 2 > rows.length ? 'cards' : 'table';
}

/** The columns of a table of hits: fields of its rows that say more than title and
    address, in the order in which they are met. */
export function columnsOf(hits: Hit[]): string[] {
  const names = new Set<string>();
  const rows = hits.some(isRow) ? hits.filter(isRow) : hits;
  for (const hit of rows) {
    const title = hit.title.map((piece) => piece.text).join('');
    for (const [name, value] of hit.fields) {
      const text = fieldText(value);
      if (text !== title && !/^https?:\/\//.test(text)) names.add(name);
    }
  }
  return [...names].slice(0, 12);
}

export function fieldText(value: FieldValue): string {
  if ('Text' in value) return value.Text;
  return 'Number' in value ? value.Number[1] : value.Date[1];
}

export function isNumber(value: FieldValue): boolean {
  return 'Number' in value;
}

/** The facets that narrow something down: several values, not each of one hit, or numbers that differ; and those in use. */
export function usefulFacets(facets: FacetCounts[], columns: IndexColumn[], filters: string[]): (FacetCounts & { kind: IndexColumn['kind'] })[] {
  const used = new Set(filters.map((filter) => readFilter(filter)?.column));
  return facets
    .map((facet) => ({ ...facet, kind: columns.find((column) => column.name === facet.column)?.kind ?? ('facet' as const) }))
    .filter((facet) => used.has(facet.column) || (facet.kind === 'facet' ? facet.values.length > 1 && (facet.values[0]?.[1] ?? 0) > 1 : facet.ends !== null && facet.ends[0] < facet.ends[1]))
    .sort((a, b) => rank(a) - rank(b));
}

/** Page or row first, then values to click, then ranges. */
function rank(facet: { column: string; kind: string }): number {
  return facet.column === 'kind' ? 0 : facet.kind === 'facet' ? 1 : facet.kind === 'number' ? 2 : 3;
}

/** The host of a URL; the URL itself if it is none. */
export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
