import { describe, expect, it } from 'vitest';
import type { Setting } from '../../api/settings';
import { boxText, boxValue, choices, control, found, isChanged, suggestions, valueAt, withValue, written } from './values';

const setting = (part: Partial<Setting>): Setting => ({ key: 'x', kind: 'text', default: null, help: '', ...part });

describe('settings', () => {
  it('are edited with what suits them', () => {
    expect(control(setting({ kind: 'switch' }))).toBe('switch');
    expect(control(setting({ form: 'obey or ignore' }))).toBe('choice');
    expect(choices(setting({ form: 'host, domain or any' }))).toEqual(['host', 'domain', 'any']);
    expect(control(setting({ form: 'host, domain, prefix, suffix:NAME, list or any' }))).toBe('text');
    expect(control(setting({ form: 'rate' }))).toBe('text');
    const some = setting({ form: 'near, far or random; or shares: 0.7 near + 0.3 far' });
    expect([control(some), suggestions(some)]).toEqual(['text', ['near', 'far', 'random']]);
    expect(suggestions(setting({ form: 'host, domain or any' }))).toEqual([]);
    expect(control(setting({ kind: 'choice', choices: ['a', 'b'] }))).toBe('choice');
    expect(control(setting({ kind: 'time' }))).toBe('text');
  });

  it('go into their box and come out the same', () => {
    const cases: [unknown, Setting][] = [
      ['1/s', setting({})],
      [100, setting({ kind: 'number' })],
      [['/a/*', '/b/*'], setting({ kind: 'list' })],
      [{ 'X-A': 'b: c', Y: 'z', Z: '1' }, setting({ kind: 'map' })],
      [['/a/*'], setting({ kind: 'list of patterns' })],
      [[['car', 'automobile'], ['mice', 'mouse']], setting({ kind: 'list', key: 'analysis.synonyms' })],
      [[{ url: 'old.test', do: 'block' }], setting({ kind: 'list', key: 'ranking.rules' })],
      [{ half_life: 30, weight: 1 }, setting({ kind: 'map', key: 'ranking.freshness' })],
      [{ list: 'en', words: ['foo'] }, setting({ key: 'analysis.stop_words' })],
      ['[2001:db8::1]:53', setting({})],
    ];
    for (const [value, of] of cases) expect(boxValue(boxText(value, of), of)).toEqual(value);
    expect(boxValue(' ', setting({}))).toBeUndefined();
    expect(boxValue('ten', setting({ kind: 'number' }))).toBe('ten');
  });

  it('are read and changed by path', () => {
    const values = { ranking: { k: 1.2 }, of: 'rows' };
    expect(valueAt(values, 'ranking.k')).toBe(1.2);
    expect(valueAt(values, 'of.nothing')).toBeUndefined();
    expect(withValue(values, 'ranking.b', 0.5)).toEqual({ ranking: { k: 1.2, b: 0.5 }, of: 'rows' });
    expect(withValue(values, 'ranking.k', undefined)).toEqual({ of: 'rows' });
    expect(values.ranking.k).toBe(1.2);
  });

  it('know whether they differ from the default', () => {
    expect(isChanged({ x: 5 }, setting({ default: 5 }))).toBe(false);
    expect(isChanged({}, setting({ default: 5 }))).toBe(false);
    expect(isChanged({ x: 6 }, setting({ default: 5 }))).toBe(true);
  });

  it('are found by words', () => {
    const groups = [{ name: 'Limits', settings: [setting({ key: 'max_pages', help: 'Pages to fetch at most' }), setting({ key: 'linger' })] }];
    expect(found(groups, 'PAGES most')[0]?.settings.map((one) => one.key)).toEqual(['max_pages']);
    expect(found(groups, 'nothing')).toEqual([]);
  });

  it('are written as people write them', () => {
    expect(written(['a', 'b'])).toBe('a, b');
    expect(written({ a: 1 })).toBe('a: 1');
    expect(written(null)).toBe('');
    expect(written({ list: null, words: [] })).toBe('');
    expect(written(false)).toBe('false');
  });
});
