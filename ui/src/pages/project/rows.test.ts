import { describe, expect, it } from 'vitest';
import { cellText, condition, kindsOf, pageTypes } from './rows';

describe('rows', () => {
  const project = { project: 'p', start: [], fields: { list: { read: { title: 'h2', price: { css: '.p', kind: 'price' as const } } }, detail: {} } };

  it('know the kinds of their fields', () => {
    expect([...kindsOf(project)]).toEqual([['title', 'text'], ['price', 'price']]);
    expect(pageTypes(project)).toEqual(['list', 'detail']);
    expect(kindsOf({ project: 'p', start: [] }).size).toBe(0);
  });

  it('show cells as text', () => {
    expect(cellText(null)).toBe('');
    expect(cellText(['a', 2])).toBe('a, 2');
    expect(cellText({ amount: 9.5, currency: 'EUR' })).toBe('9.5 EUR');
    expect(cellText('<b>')).toBe('<b>');
  });

  it('write conditions', () => {
    expect(condition('price', '<', ' 50 ')).toBe('price<50');
    expect(condition('brand', 'not empty', 'x')).toBe('brand not empty');
  });
});
