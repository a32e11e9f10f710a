import { describe, expect, it } from 'vitest';
import { Pages, scrollTo, shown, TALLEST } from './virtual';

describe('shown', () => {
  it('draws a screenful and a few spare rows', () => {
    expect(shown(0, 300, 30, 1000)).toEqual({ first: 0, end: 16, top: 0, height: 30_000 });
    expect(shown(3000, 300, 30, 1000, 2)).toEqual({ first: 98, end: 112, top: 2940, height: 30_000 });
  });

  it('draws nothing of nothing, and stays inside the list', () => {
    expect(shown(0, 300, 30, 0)).toEqual({ first: 0, end: 0, top: 0, height: 0 });
    expect(shown(99_999, 300, 30, 20).end).toBe(20);
    expect(shown(-5, 300, 30, 20).first).toBe(0);
  });

  it('reaches the last of a million rows although the box is not as tall', () => {
    const box = shown(TALLEST - 600, 600, 36, 1_000_000);
    expect(box.height).toBe(TALLEST);
    expect(box.end).toBe(1_000_000);
    // The last row ends where the box ends.
    expect(box.top + (box.end - box.first) * 36).toBeCloseTo(TALLEST, 3);
  });

  it('is undone by scrollTo', () => {
    for (const count of [100, 1_000_000]) {
      for (const row of [0, 57, 99]) {
        const at = scrollTo(row, 0, 300, 30, count);
        const box = shown(at, 300, 30, count, 0);
        expect(box.first <= row && row < box.end).toBe(true);
      }
    }
  });
});

function numbers(size: number, count: number, log: (string | null)[] = []) {
  return async (cursor: string | null) => {
    log.push(cursor);
    const from = Number(cursor ?? 0);
    const items = Array.from({ length: Math.min(size, count - from) }, (_, at) => from + at);
    return { items, next: from + size < count ? String(from + size) : null };
  };
}

describe('Pages', () => {
  it('reads as far as is wanted and no farther', async () => {
    const log: (string | null)[] = [];
    const pages = new Pages(numbers(10, 100, log));
    await pages.need(0, 5);
    expect(log).toEqual([null]);
    expect(pages.get(3)).toBe(3);
    expect(pages.count).toBe(10);
    await pages.need(8, 24);
    expect(log).toEqual([null, '10', '20']);
    expect(pages.get(24)).toBe(24);
    expect(pages.get(31)).toBeUndefined();
  });

  it('knows the end', async () => {
    const pages = new Pages(numbers(10, 25));
    await pages.need(0, 1000);
    expect([pages.count, pages.complete]).toEqual([25, true]);
    expect(await pages.need(0, 1000)).toBe(false);
    const none = new Pages(numbers(10, 0));
    await none.need(0, 1);
    expect([none.count, none.complete]).toEqual([0, true]);
  });

  it('does not ask a list that grows for its end again and again', async () => {
    let asked = 0;
    const pages = new Pages<number>(async (cursor) => {
      asked += 1;
      return cursor === null ? { items: [1, 2], next: 'later' } : { items: [], next: 'later' };
    });
    await pages.need(0, 50);
    await pages.need(0, 50);
    expect([asked, pages.count, pages.complete]).toEqual([2, 2, true]);
  });

  it('passes over empty pages before the end', async () => {
    const pages = new Pages<number>(async (cursor) => {
      const from = Number(cursor ?? 0);
      return { items: from === 4 ? [7, 8] : [], next: from < 6 ? String(from + 1) : null };
    });
    await pages.need(0, 1);
    expect([pages.get(1), pages.count, pages.complete]).toEqual([8, 2, false]);
    await pages.need(0, 10);
    expect([pages.count, pages.complete]).toEqual([2, true]);
  });

  it('keeps only the latest pages and reads the others again', async () => {
    const log: (string | null)[] = [];
    const pages = new Pages(numbers(10, 1000, log), 3);
    for (let row = 0; row < 100; row += 10) await pages.need(row, row + 10);
    expect(pages.pagesKept).toBe(3);
    expect(pages.get(0)).toBeUndefined();
    log.length = 0;
    await pages.need(0, 10);
    expect(log).toEqual([null]);
    expect(pages.get(9)).toBe(9);
    expect(pages.count).toBe(110);
  });

  it('reads a page once when it is asked for twice at once', async () => {
    const log: (string | null)[] = [];
    const pages = new Pages(numbers(10, 100, log));
    await Promise.all([pages.need(0, 5), pages.need(0, 5)]);
    expect(log).toEqual([null]);
  });
});
