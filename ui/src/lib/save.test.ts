import { expect, test } from 'vitest';
import { versionName } from './save';

test('a version is named by its address, its time and its kind', () => {
  const at = '2026-11-18T09:30:31.035Z';
  expect(versionName('http://a.test/news?id=1&x=/../y', at, 'text/html; charset=utf-8')).toBe('a.test-news-id-1-x-..-y-2026-11-18T09-30-31.html');
  expect(versionName('https://a.test/sea.PNG', at, 'image/png')).toBe('a.test-sea-2026-11-18T09-30-31.png');
  expect(versionName('https://a.test/', at, null)).toBe('a.test-2026-11-18T09-30-31.bin');
});
