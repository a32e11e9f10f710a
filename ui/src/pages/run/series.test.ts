import { describe, expect, it } from 'vitest';
import { latest, lines, millis, perSecond, stacked, WHOLE } from './series';

const series = {
  step_seconds: 5,
  from: '2026-01-01T00:00:00Z',
  points: { pages: [10, 0, 5], errors: [1], latency_p50: [null, 12, 13] },
};

describe('marks of an axis', () => {
  it('never read the same twice', () => {
    const steps = [0.1, 0.2, 0.25, 0.5, ...WHOLE.filter((step) => step < 1e6)];
    for (const [unit, allowed] of [[millis, steps.filter((step) => step !== 0.25)], [perSecond, steps.filter((step) => step !== 0.25)]] as const) {
      for (const step of allowed) {
        const marks = [0, 1, 2, 3].map((at) => unit(at * step));
        expect(new Set(marks).size, `${marks.join(', ')}`).toBe(4);
      }
    }
  });
});

describe('lines', () => {
  it('stand at their times, as rates where asked', () => {
    const start = Date.parse('2026-01-01T00:00:00Z') / 1000;
    expect(lines(series, ['pages'], true).data).toEqual([[start, start + 5, start + 10], [2, 0, 1]]);
    expect(lines(series, ['latency_p50']).data[1]).toEqual([null, 12, 13]);
  });

  it('are as long as the longest, with gaps', () => {
    expect(lines(series, ['errors', 'pages']).data[1]).toEqual([1, null, null]);
    expect(lines(series, ['unknown']).data).toEqual([[], []]);
  });

  it('stack', () => {
    expect(stacked([[0, 1], [1, 2], [3, null]])).toEqual([[0, 1], [4, 2], [1, 2]]);
  });

  it('know their latest value', () => {
    expect(latest([1, 2, null])).toBe(2);
    expect(latest([])).toBeNull();
  });
});
