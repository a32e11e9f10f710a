import { expect, test } from 'vitest';
import { marks } from './marks';

test.each([
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [0.97, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [20, [0, 5, 10, 15, 20]],
  [60_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]],
  [0, [0, 0.2, 0.4, 0.6, 0.8, 1]],
])('an axis up to %d has round marks', (most, expected) => expect(marks(most)).toEqual(expected));
