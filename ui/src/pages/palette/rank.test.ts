import { expect, test } from 'vitest';
import { ranked } from './rank';

const entries = ['Project shop', 'Run of shop', 'Setting max_pages', 'workshop'].map((text) => ({ text }));

test('the start of a text counts most, then of a word, then anywhere', () => {
  const check = (typed: string, texts: string[]) => expect(ranked(entries, typed, 9).map((one) => one.text)).toEqual(texts);
  check('shop', ['Run of shop', 'Project shop', 'workshop']);
  check('work', ['workshop']);
  check('pages set', ['Setting max_pages']);
  check('nothing', []);
  check('', entries.map((one) => one.text));
});
