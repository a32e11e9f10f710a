// Which entries of the palette fit what was typed, the best first.

/** How well `text` fits: all words must occur; a start of the text or of a word counts more. Negative: not at all. */
export function fit(text: string, typed: string): number {
  const low = text.toLowerCase();
  let score = 0;
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = low.indexOf(word);
    if (at < 0) return -1;
    if (at === 0) score += 4;
    else if (/[^\p{L}\p{N}]/u.test(low[at - 1] ?? '')) score += 2;
    else score += 1;
  }
  return score - low.length / 1000;
}

export function ranked<T extends { text: string }>(entries: T[], typed: string, most: number): T[] {
  if (!typed.trim()) return entries.slice(0, most);
  return entries
    .map((entry) => ({ entry, score: fit(entry.text, typed) }))
    .filter((one) => one.score >= 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map((one) => one.entry);
}
