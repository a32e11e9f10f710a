// A text with the words that came or went marked where they stand.

export interface Piece {
  text: string;
  marked: boolean;
}

/** The pieces of a text. Words are marked where the text has them at the place that is told, and only there. */
export function marked(text: string, changes: { words: string; at: number }[]): Piece[] {
  // Each word with the space before it.
  const words = text.match(/\s*\S+/g) ?? [];
  const said = words.map((word) => word.trim());
  const of = words.map(() => false);
  for (const change of changes) {
    const wanted = change.words.split(' ');
    if (wanted.every((word, i) => said[change.at + i] === word)) of.fill(true, change.at, change.at + wanted.length);
  }
  const pieces: Piece[] = [];
  words.forEach((word, i) => {
    const last = pieces.at(-1);
    if (last?.marked === of[i]) last.text += word;
    else pieces.push({ text: word, marked: of[i] ?? false });
  });
  return pieces;
}
