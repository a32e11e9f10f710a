import { expect, test } from 'vitest';
import { ago, bytes, duration, percent, safeUrl } from './format';

test('only http and https become links', () => {
  const check = (text: unknown, safe: string | null) => expect(safeUrl(text)).toBe(safe);
  check('https://shop.test/a b', 'https://shop.test/a%20b');
  check('javascript:alert(1)', null);
  check(' javascript:alert(1)', null);
  check('data:text/html,x', null);
  check('java\nscript:alert(1)', null);
  check('//shop.test', null);
  check(7, null);
});

test('a share is whole or none only when it is', () => {
  const check = (share: number, text: string) => expect(percent(share)).toBe(text);
  check(1, '100 %');
  check(0.999, '> 99 %');
  check(0.001, '< 1 %');
  check(0, '0 %');
  check(0.5, '50 %');
});

test('durations and sizes take the unit that fits', () => {
  expect(duration(0.25)).toBe('250 ms');
  expect(duration(125)).toBe('2 min');
  expect(duration(12_000)).toBe('3 h 20 min');
  expect(bytes(999)).toBe('999 B');
  expect(bytes(4_200_000)).toBe('4.2 MB');
});

test('times are told from now', () => {
  const now = Date.parse('2026-11-15T12:00:00Z');
  expect(ago('2026-11-15T11:59:50Z', now)).toBe('just now');
  expect(ago('2026-11-15T11:30:00Z', now)).toBe('30 min ago');
  expect(ago('2026-11-14T12:00:00Z', now)).toBe('1 day ago');
});
