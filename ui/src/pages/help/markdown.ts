// The little Markdown that the guide is written in, as a tree that the page draws: headings, paragraphs, lists, code,
// tables, links, emphasis. No HTML ever comes out of it.

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em'; parts: Inline[] }
  | { kind: 'link'; href: string; parts: Inline[] };

export type Block =
  | { kind: 'heading'; level: number; id: string; parts: Inline[]; text: string }
  | { kind: 'paragraph'; parts: Inline[] }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'quote'; parts: Inline[] };

export function parse(source: string): Block[] {
  const lines = source.replace(/<!--[\s\S]*?-->/g, '').split(/\r?\n/);
  const blocks: Block[] = [];
  let at = 0;

  while (at < lines.length) {
    const line = lines[at] ?? '';
    const fence = /^```(\S*)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)$/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      const code: string[] = [];
      for (at += 1; at < lines.length && !/^```/.test(lines[at] ?? ''); at += 1) code.push(lines[at] ?? '');
      at += 1;
      blocks.push({ kind: 'code', text: code.join('\n'), language: fence[1] ?? '' });
    } else if (heading) {
      const text = plain(inline(heading[2] ?? ''));
      blocks.push({ kind: 'heading', level: heading[1]?.length ?? 1, id: slug(text), parts: inline(heading[2] ?? ''), text });
      at += 1;
    } else if (/^\|/.test(line) && /^\|[\s:|-]+\|?\s*$/.test(lines[at + 1] ?? '')) {
      const head = cells(line);
      const rows: Inline[][][] = [];
      for (at += 2; /^\|/.test(lines[at] ?? ''); at += 1) rows.push(cells(lines[at] ?? ''));
      blocks.push({ kind: 'table', head, rows });
    } else if (/^\s*([-*]|\d+\.)\s+/.test(line)) {
      const ordered = /^\s*\d+\./.test(line);
      const items: string[] = [];
      for (; at < lines.length && (lines[at] ?? '').trim(); at += 1) {
        const item = /^\s*(?:[-*]|\d+\.)\s+(.*)$/.exec(lines[at] ?? '');
        if (item) items.push(item[1] ?? '');
        else items.push(`${items.pop() ?? ''} ${(lines[at] ?? '').trim()}`);
      }
      blocks.push({ kind: 'list', ordered, items: items.map(inline) });
    } else if (/^>/.test(line)) {
      const quoted: string[] = [];
      for (; /^>/.test(lines[at] ?? ''); at += 1) quoted.push((lines[at] ?? '').replace(/^>\s?/, ''));
      blocks.push({ kind: 'quote', parts: inline(quoted.join(' ')) });
    } else {
      const text: string[] = [];
      for (; at < lines.length && (lines[at] ?? '').trim() && !/^(#{1,6}\s|```|\||>|\s*[-*]\s)/.test(lines[at] ?? ''); at += 1) text.push((lines[at] ?? '').trim());
      // A line that looks like a block but is none is text all the same: it must be passed.
      if (!text.length) text.push(lines[at++] ?? '');
      blocks.push({ kind: 'paragraph', parts: inline(text.join(' ')) });
    }
  }
  return blocks;
}

export function inline(text: string): Inline[] {
  const parts: Inline[] = [];
  const pattern = /(`+)(.+?)\1|\*\*(.+?)\*\*|\*([^*\s][^*]*?)\*|\[([^\]]+)\]\(([^)\s]+)\)|\\([\\`*_{}[\]()#+.!|<>-])/g;
  let last = 0;
  const say = (more: string) => {
    const before = parts.at(-1);
    if (!more) return;
    if (before?.kind === 'text') before.text += more;
    else parts.push({ kind: 'text', text: more });
  };
  for (const found of text.matchAll(pattern)) {
    say(text.slice(last, found.index));
    last = found.index + found[0].length;
    if (found[2] !== undefined) parts.push({ kind: 'code', text: found[2].trim() });
    else if (found[3] !== undefined) parts.push({ kind: 'strong', parts: inline(found[3]) });
    else if (found[4] !== undefined) parts.push({ kind: 'em', parts: inline(found[4]) });
    else if (found[5] !== undefined) parts.push({ kind: 'link', href: found[6] ?? '', parts: inline(found[5]) });
    else say(found[7] ?? '');
  }
  say(text.slice(last));
  return parts;
}

export function plain(parts: Inline[]): string {
  return parts.map((part) => ('parts' in part ? plain(part.parts) : part.text)).join('');
}

export function slug(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '');
}

function cells(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  // A bar inside code or behind a backslash divides nothing.
  const parts: string[] = [''];
  let code = false;
  for (let i = 0; i < inner.length; i += 1) {
    const char = inner[i] ?? '';
    if (char === '`') code = !code;
    if (char === '\\' && inner[i + 1] === '|') {
      parts[parts.length - 1] += '|';
      i += 1;
    } else if (char === '|' && !code) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((cell) => inline(cell.trim()));
}
