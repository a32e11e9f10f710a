import { expect, test } from 'vitest';
import { inline, parse, plain } from './markdown';

test('blocks are told apart', () => {
  const blocks = parse('# One *two*\n\ntext\nmore\n\n- a\n- b\n  c\n\n```yaml\nx: 1\n```\n\n| k | v |\n| --- | --- |\n| `a|b` | c \\| d |\n\n> said\n');
  expect(blocks.map((block) => block.kind)).toEqual(['heading', 'paragraph', 'list', 'code', 'table', 'quote']);
  expect(blocks[0]).toMatchObject({ id: 'one-two', text: 'One two' });
  expect(blocks[2]).toMatchObject({ items: [[{ text: 'a' }], [{ text: 'b c' }]] });
  expect(blocks[4]).toMatchObject({ rows: [[[{ kind: 'code', text: 'a|b' }], [{ kind: 'text', text: 'c | d' }]]] });
});

test('inline marks nest, HTML stays text', () => {
  expect(plain(inline('a **b `c`** [d](e.md) <script>x</script>'))).toBe('a b c d <script>x</script>');
  expect(inline('[d](e.md)')).toEqual([{ kind: 'link', href: 'e.md', parts: [{ kind: 'text', text: 'd' }] }]);
});

test('any text comes to an end', () => {
  for (const text of ['|', '|a', '> ', '- ', '```', '#', '* *', '\\', '**', '[a](', '1.', '-']) expect(parse(text).length, text).toBeLessThan(3);
});
