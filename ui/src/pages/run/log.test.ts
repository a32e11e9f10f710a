import { describe, expect, it } from 'vitest';
import { matches, merged } from './log';

const line = (seq: number, level = 'info', message = 'fetched', url: string | null = 'http://a.test/x') => ({ seq, time: '', level, url, message });

describe('log lines', () => {
  it('pass a filter as the server would have it', () => {
    expect(matches(line(1), { level: '', url: '', text: '' })).toBe(true);
    expect(matches(line(1), { level: 'warn', url: '', text: '' })).toBe(false);
    expect(matches(line(1, 'error'), { level: 'warn', url: 'a.test', text: 'FETCH' })).toBe(true);
    // The words of a filter are looked for in the URL too, in any case; the part of a URL as it is written.
    expect(matches(line(1), { level: '', url: '', text: 'A.TEST/X' })).toBe(true);
    expect(matches(line(1), { level: '', url: 'A.TEST', text: '' })).toBe(false);
    expect(matches(line(1), { level: '', url: '', text: 'elsewhere' })).toBe(false);
    expect(matches(line(1, 'info', 'x', null), { level: '', url: 'a', text: '' })).toBe(false);
  });

  it('join without repeats and within bounds', () => {
    const seqs = (lines: { seq: number }[]) => lines.map((one) => one.seq);
    expect(seqs(merged([line(1), line(2)], [line(2), line(3)], 10))).toEqual([1, 2, 3]);
    expect(seqs(merged([], [line(7)], 10))).toEqual([7]);
    expect(seqs(merged([line(1), line(2)], [line(3)], 2))).toEqual([2, 3]);
  });
});
