// Which rows of a long table are drawn, and which of them are kept in memory.
//
// A table of a million rows has only a screenful of elements; rows come page by page from a cursor,
// and of the pages read only the latest few are kept: the others are read again by their cursor.

/** Browsers do not lay out boxes much taller than this; beyond it the scroll bar is scaled. */
export const TALLEST = 8_000_000;

/** Empty pages that are passed over for one with something in it. */
const MOST_EMPTY = 200;

export interface Shown {
  /** The first row to draw. */
  first: number;
  /** The row after the last one to draw. */
  end: number;
  /** Where the first one stands, in pixels from the top of the scrolled box. */
  top: number;
  /** Height of the scrolled box. */
  height: number;
}

/** The rows that are drawn when `count` rows of `rowHeight` are scrolled by `scrollTop`. */
export function shown(
  scrollTop: number,
  viewport: number,
  rowHeight: number,
  count: number,
  spare = 6,
): Shown {
  const real = count * rowHeight;
  const height = Math.min(real, TALLEST);
  const farthest = Math.max(height - viewport, 0);
  const at = Math.min(Math.max(scrollTop, 0), farthest);
  // In a scaled table the same way of scrolling passes more rows.
  const realAt = farthest > 0 ? (at / farthest) * Math.max(real - viewport, 0) : 0;
  const first = Math.max(Math.floor(realAt / rowHeight) - spare, 0);
  const end = Math.min(Math.ceil((realAt + viewport) / rowHeight) + spare, count);
  return { first, end, top: at - (realAt - first * rowHeight), height };
}

/** Where to scroll so that a row is seen; the place now if it is seen already. */
export function scrollTo(
  row: number,
  scrollTop: number,
  viewport: number,
  rowHeight: number,
  count: number,
): number {
  const real = count * rowHeight;
  const height = Math.min(real, TALLEST);
  const farthest = Math.max(height - viewport, 0);
  const realFarthest = Math.max(real - viewport, 0);
  const realAt = farthest > 0 ? (scrollTop / farthest) * realFarthest : 0;
  let wanted = realAt;
  if (row * rowHeight < realAt) wanted = row * rowHeight;
  else if ((row + 1) * rowHeight > realAt + viewport) wanted = (row + 1) * rowHeight - viewport;
  return realFarthest > 0 ? (wanted / realFarthest) * farthest : 0;
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

type Read<T> = (cursor: string | null) => Promise<Page<T>>;

/** Rows behind a cursor, of which some pages are kept. */
export class Pages<T> {
  /** Rows known to be there. */
  count = 0;
  /** Nothing comes after the known ones. */
  complete = false;
  /** Cursor and first row of each page that was ever read, and of the next one. */
  private starts: { cursor: string | null; row: number }[] = [{ cursor: null, row: 0 }];
  private kept = new Map<number, T[]>();
  private reading = new Map<number, Promise<void>>();

  constructor(
    private read: Read<T>,
    /** Pages kept in memory. */
    private most = 40,
  ) {}

  /** A row, if its page is in memory. */
  get(row: number): T | undefined {
    const page = this.pageOf(row);
    return this.kept.get(page)?.[row - this.starts[page].row];
  }

  /** Reads what is missing for these rows; true when something was read. */
  async need(first: number, end: number): Promise<boolean> {
    let did = false;
    // The page after the last known one is read when its first row is wanted.
    for (let page = this.pageOf(first); page < this.starts.length; page++) {
      const begins = this.starts[page].row;
      const unknown = page === this.starts.length - 1;
      if (unknown ? this.complete || begins > end : begins >= end) break;
      if (this.touch(page)) continue;
      await this.readPage(page);
      did = true;
    }
    return did;
  }

  /** Pages in memory. */
  get pagesKept(): number {
    return this.kept.size;
  }

  private pageOf(row: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle].row <= row) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private touch(page: number): boolean {
    const items = this.kept.get(page);
    if (!items) return false;
    this.kept.delete(page);
    this.kept.set(page, items);
    return true;
  }

  /** A page with something in it: of a crawl at work the server looks at so many URLs at a time, wanted or not. */
  private async readSome(cursor: string | null): Promise<Page<T>> {
    let answer = await this.read(cursor);
    for (let round = 0; round < MOST_EMPTY && answer.items.length === 0 && answer.next !== null && answer.next !== cursor; round++) {
      cursor = answer.next;
      answer = await this.read(cursor);
    }
    return answer;
  }

  private readPage(page: number): Promise<void> {
    const known = this.reading.get(page);
    if (known) return known;
    const reading = this.readSome(this.starts[page].cursor).then((answer) => {
      const isLast = page === this.starts.length - 1;
      this.kept.set(page, answer.items);
      if (isLast) {
        const row = this.starts[page].row + answer.items.length;
        this.count = row;
        // An empty page ends the list too, or a list that grows would be asked for its end without end.
        if (answer.next === null || answer.items.length === 0) this.complete = true;
        this.starts.push({ cursor: answer.next, row });
      }
      for (const oldest of this.kept.keys()) {
        if (this.kept.size <= this.most) break;
        this.kept.delete(oldest);
      }
    });
    const settled = reading.finally(() => this.reading.delete(page));
    this.reading.set(page, settled);
    return settled;
  }
}
