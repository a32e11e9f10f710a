import { describe, expect, it } from 'vitest';
import { marked } from './marked';

const shown = (text: string, changes: { words: string; at: number }[]) => marked(text, changes).map((piece) => (piece.marked ? `[${piece.text}]` : piece.text)).join('');

describe('words that came or went', () => {
  it('are marked where they stand', () => {
    expect(shown('The harbour is open today.', [{ words: 'open', at: 3 }])).toBe('The harbour is[ open] today.');
    expect(shown('News\nclosed until noon', [{ words: 'closed until', at: 1 }, { words: 'noon', at: 3 }])).toBe('News[\nclosed until noon]');
    expect(shown('a b', [])).toBe('a b');
    expect(shown('', [{ words: 'a', at: 0 }])).toBe('');
  });

  it('are not marked elsewhere', () => {
    expect(shown('open and open', [{ words: 'open', at: 2 }])).toBe('open and[ open]');
    expect(shown('one two', [{ words: 'two three', at: 1 }, { words: 'one', at: 9 }, { words: 'two', at: 0 }])).toBe('one two');
  });
});
