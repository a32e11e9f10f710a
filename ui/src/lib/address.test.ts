import { expect, test } from 'vitest';
import { addressFrom } from './address';

test('what is typed becomes an address, or is refused', () => {
  const check = (typed: string, url: string | null) => expect(addressFrom(typed)).toBe(url);
  check(' https://shop.test/list ', 'https://shop.test/list');
  check('shop.test/list', 'https://shop.test/list');
  check('127.0.0.1:8080/shop', 'http://127.0.0.1:8080/shop');
  check('localhost:3000', 'http://localhost:3000/');
  check('file:///etc/passwd', null);
  check('javascript:alert(1)', null);
  check('two words', null);
  check('shop', null);
  check('', null);
});
