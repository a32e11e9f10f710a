import { expect, test } from 'vitest';
import { inDays, revisitForecast } from './forecast';

test('times are read as settings write them', () => {
  expect(inDays('7d')).toBe(7);
  expect(inDays('1h30m')).toBeCloseTo(1.5 / 24);
  expect([inDays('soon'), inDays('7'), inDays(7), inDays('')]).toEqual([null, null, null, null]);
});

test('every policy has its forecast, with its own numbers', () => {
  expect(revisitForecast({})).toMatch(/every page/);
  expect(revisitForecast({ revisit: 'off' })).toMatch(/only what is new/);
  expect(revisitForecast({ revisit: 'fixed', revisit_every: '10d' })).toMatch(/10d.*100 requests a day/s);
  expect(revisitForecast({ revisit: 'fixed', revisit_every: '10d' }, 250)).toMatch(/of 250 pages about 25 requests a day/s);
  expect(revisitForecast({ revisit: 'adaptive' })).toMatch(/7d.*90d/s);
  expect(revisitForecast({ revisit: 'optimal', revisit_budget: 200 })).toMatch(/200 requests a day.*5 days/s);
});
