import { describe, expect, it } from 'vitest';
import type { Hit } from '../../api/indexes';
import { columnsOf, folded, layoutFor, mixed, readState, rowsOnly, usefulFacets, writeState, type SearchState } from './state';

const PLAIN: SearchState = { q: '', filters: [], sort: '', layout: '', group: false, explain: false, like: '' };

describe('the address of a search', () => {
  it('says only what is not ordinary', () => {
    expect(writeState(PLAIN).toString()).toBe('');
    expect(writeState({ ...PLAIN, q: 'red chair' }).toString()).toBe('q=red+chair');
  });

  it('gives the same search to whoever opens it', () => {
    const states: Partial<SearchState>[] = [
      { q: '"folding chair" & more', filters: ['brand:"Old Oak"', 'price:10..50'], sort: '-price' },
      { like: 'https://shop.test/a?b=c', layout: 'table', group: true, explain: true },
    ];
    for (const state of states) {
      const whole = { ...PLAIN, ...state };
      expect(readState(new URLSearchParams(writeState(whole).toString()))).toEqual(whole);
    }
  });

  it('is not led astray by nonsense', () => {
    expect(readState(new URLSearchParams('layout=spiral&group=9&filter='))).toEqual(PLAIN);
  });
});

function hit(fields: number, image: string | null = null): Hit {
  const values = Array.from({ length: fields }, (_, at) => [`f${at}`, { Text: 'x' }] as [string, { Text: string }]);
  return {
    place: 1, id: '', score: 1, all_words: true, url: 'http://a.test/', title: [], author: null, date: null, image,
    passages: [], fields: values, pinned: false, more_of_site: false, near_duplicates: 0, explanation: null,
  };
}

describe('facets', () => {
  it('are shown where they narrow something down', () => {
    const columns = [{ name: 'price', kind: 'number' as const }];
    const facets = [
      { column: 'lang', values: [['en', 3]] as [string, number][], ends: null },
      { column: 'brand', values: [['b', 2], ['a', 1]] as [string, number][], ends: null },
      { column: 'price', values: [], ends: [1, 9] as [number, number] },
    ];
    const names = (filters: string[]) => usefulFacets(facets, columns, filters).map((one) => one.column);
    expect(names([])).toEqual(['brand', 'price']);
    expect(names(['lang:"en"'])).toEqual(['lang', 'brand', 'price']);
  });
});

describe('a page and its row', () => {
  const at = (id: string, url: string, fields = 0) => ({ ...hit(fields), id, url });

  it('are one hit, the row, at the better place', () => {
    const page = at('page p http://a.test/1', 'http://a.test/1');
    const row = at('row p 1', 'http://a.test/1', 2);
    const list = at('page p http://a.test/', 'http://a.test/');
    const ids = (hits: Hit[]) => folded(hits).map((one) => one.id);
    expect(ids([list, page, row])).toEqual([list.id, row.id]);
    expect(ids([row, page])).toEqual([row.id]);
    expect(folded([page, list], [row]).map((one) => one.id)).toEqual([row.id, list.id]);
    const said = [[{ text: 'A sentence.', marked: false }]];
    expect(folded([row, { ...page, passages: said }])[0]?.passages).toEqual(said);
    // A list with several rows stands for itself, and so does a page without one.
    expect(ids([list, at('row p 2', list.url), at('row p 3', list.url), page])).toEqual([list.id, 'row p 2', 'row p 3', page.id]);
  });

  it('are looked for together where both are found and none is asked for', () => {
    const both = [{ column: 'kind', values: [['page', 28], ['row', 22]] as [string, number][], ends: null }];
    expect(mixed({ ...PLAIN, q: 'tent' }, both)).toBe(true);
    expect(mixed({ ...PLAIN, q: 'tent', sort: '-price' }, both)).toBe(false);
    expect(mixed({ ...PLAIN, q: 'kind:page tent' }, both)).toBe(false);
    expect(mixed({ ...PLAIN, q: 'tent' }, [{ column: 'kind', values: [['page', 28]], ends: null }])).toBe(false);
  });

  it('make a table of rows, unless the search says what it wants', () => {
    expect(columnsOf([at('page p', 'u', 1), { ...at('row p', 'u'), fields: [['price', { Text: '1' }]] }])).toEqual(['price']);
    expect(rowsOnly({ ...PLAIN, q: 'tent', layout: 'table' })).toBe(true);
    for (const other of [{ layout: '' as const }, { q: 'kind:page tent' }, { q: '+kind:row tent' }, { filters: ['kind:"page"'] }, { like: 'http://a.test/' }])
      expect(rowsOnly({ ...PLAIN, q: 'tent', layout: 'table', ...other })).toBe(false);
  });
});

describe('layout', () => {
  it('suits the kinds of the hits', () => {
    expect(layoutFor([])).toBe('list');
    expect(layoutFor([hit(0), hit(0, 'http://a.test/i.png')])).toBe('list');
    expect(layoutFor([hit(4), hit(4), hit(0)])).toBe('table');
    expect(layoutFor([hit(4, 'i'), hit(4, 'i'), hit(4)])).toBe('cards');
    expect(columnsOf([hit(1), hit(3)])).toEqual(['f0', 'f1', 'f2']);
  });
});
