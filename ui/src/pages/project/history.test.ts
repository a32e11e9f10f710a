import { describe, expect, it } from 'vitest';
import { keyOf, versions } from './history';

describe('the history of a row', () => {
  it('tells what each run changed, the latest first', () => {
    const told = versions({
      items: [
        { run: 7, started_at: '2026-01-02T00:00:00Z', status: 'changed', cells: { title: 'a', price: 12 } },
        { run: 3, started_at: '2026-01-01T00:00:00Z', status: 'new', cells: { title: 'a', price: 10 } },
      ],
    });
    expect(told.map((one) => one.label.split(',')[0])).toEqual(['Run 7', 'Run 3']);
    expect(told[0]?.changes).toEqual([{ field: 'price', before: '10', after: '12' }]);
    expect(told[1]?.changes.length).toBe(2);
  });

  it('needs a key and bears nonsense', () => {
    expect(keyOf({ _key: 'k' })).toBe('k');
    expect(keyOf({ title: 'a' })).toBeNull();
    expect(versions(null)).toEqual([]);
    expect(versions([1, null])).toEqual([]);
  });
});
