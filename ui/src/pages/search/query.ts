// The advanced form and the query text it stands for. What the form has no box for is kept as it is written, in `rest`.

export interface Range {
  field: string;
  from: string;
  to: string;
}

export interface QueryForm {
  /** Words; those that have all of them come first. */
  words: string;
  /** Every one of the words must be there. */
  all: boolean;
  /** Words in a row. */
  phrase: string;
  /** At least one of these. */
  any: string;
  /** None of these: words, and phrases in quotes. */
  none: string;
  /** Where the words are looked for; everywhere if empty. */
  place: string;
  site: string;
  filetype: string;
  language: string;
  /** Pages or rows. */
  kind: string;
  after: string;
  before: string;
  ranges: Range[];
  /** Whatever else the query says. */
  rest: string;
}

/** Fields of pages that the words can be looked for in. */
export const PLACES = ["title", "text", "url", "anchor"];

export function emptyForm(): QueryForm {
  return {
    words: "",
    all: false,
    phrase: "",
    any: "",
    none: "",
    place: "",
    site: "",
    filetype: "",
    language: "",
    kind: "",
    after: "",
    before: "",
    ranges: [],
    rest: "",
  };
}

/** The query that a form stands for. */
export function writeQuery(form: QueryForm): string {
  const parts: string[] = [];
  const place = form.place ? `${form.place}:` : "";
  for (const word of wordsOf(form.words)) parts.push(`${form.all ? "+" : ""}${place}${word}`);
  const phrase = clean(form.phrase);
  if (phrase) parts.push(`+${place}"${phrase}"`);
  const any = wordsOf(form.any);
  if (any.length === 1) parts.push(`+${place}${any[0]}`);
  else if (any.length > 1) parts.push(`+${place}(${any.join(" OR ")})`);
  for (const word of wordsOf(form.none)) parts.push(`-${word}`);
  const filters: [string, string][] = [
    ["site", form.site],
    ["filetype", form.filetype],
    ["lang", form.language],
    ["kind", form.kind],
    ["after", form.after],
    ["before", form.before],
  ];
  for (const [name, value] of filters) if (value.trim()) parts.push(`${name}:${oneValue(value)}`);
  for (const { field, from, to } of form.ranges) {
    if (field && (from.trim() || to.trim())) parts.push(`${field}:${from.trim()}..${to.trim()}`);
  }
  if (form.rest.trim()) parts.push(form.rest.trim());
  return parts.join(" ");
}

/** The form of a query; `fields` are those of rows that ranges can name. */
export function readQuery(text: string, fields: string[] = []): QueryForm {
  const form = emptyForm();
  const pieces = piecesOf(text);
  // An operator holds its neighbours together: they are only understood as a whole.
  if (pieces.some((piece) => piece.operator)) return { ...form, rest: text.trim() };
  const words: { word: string; must: boolean; place: string }[] = [];
  const rest: string[] = [];
  let phrase: { text: string; place: string } | null = null;
  let any: { words: string[]; place: string } | null = null;
  const none: string[] = [];
  for (const piece of pieces) {
    const { sign, field, body, raw } = piece;
    const name = field.toLowerCase();
    const isPlace = field === "" || PLACES.includes(name);
    const quoted = body.startsWith('"');
    const value = quoted ? body.replace(/^"|"$/g, "") : body;
    const alternatives = body.startsWith("(") ? orWords(body) : null;
    const filter = FILTERS[name];
    const range = RANGE.exec(body);
    if (filter && sign !== "-" && !body.startsWith("(") && form[filter] === "") {
      form[filter] = value;
    } else if (sign !== "-" && range && fields.some((known) => known.toLowerCase() === name)) {
      form.ranges.push({ field, from: range[1], to: range[2] });
    } else if (sign === "-" && field === "" && !body.startsWith("(")) {
      none.push(body);
    } else if (isPlace && sign === "+" && quoted && !phrase) {
      phrase = { text: value, place: name };
    } else if (isPlace && sign === "+" && alternatives && !any) {
      any = { words: alternatives, place: name };
    } else if (isPlace && sign !== "-" && !body.startsWith("(")) {
      words.push({ word: body, must: sign === "+", place: name });
    } else {
      rest.push(raw);
    }
  }
  // One place and one sign for all words, or they are no words of the form.
  const places = new Set([...words.map((word) => word.place), phrase?.place, any?.place].filter((place) => place !== undefined));
  const signs = new Set(words.map((word) => word.must));
  if (places.size > 1 || signs.size > 1) return { ...emptyForm(), rest: text.trim() };
  form.place = [...places][0] ?? "";
  form.words = words.map((word) => word.word).join(" ");
  form.all = words.length > 0 && words[0].must;
  form.phrase = phrase?.text ?? "";
  form.any = any?.words.join(" ") ?? "";
  form.none = none.join(" ");
  form.rest = rest.join(" ");
  return form;
}

/** A filter of a column's value: what a click on a facet adds. */
export function valueFilter(column: string, value: string): string {
  return `${column}:"${value.replaceAll('"', " ")}"`;
}

/** A filter of a range of numbers or dates; empty if it has no end. */
export function rangeFilter(column: string, from: string, to: string): string {
  return from.trim() || to.trim() ? `${column}:${from.trim()}..${to.trim()}` : "";
}

/** The column and value or range of a filter, for its chip and for the boxes beside the hits. */
export function readFilter(filter: string): { column: string; value?: string; from?: string; to?: string } | null {
  const match = /^([^:\s]+):(.+)$/.exec(filter);
  if (!match) return null;
  const range = RANGE.exec(match[2]);
  if (range) return { column: match[1], from: range[1], to: range[2] };
  return { column: match[1], value: match[2].replace(/^"|"$/g, "") };
}

type Filtered = "site" | "filetype" | "language" | "kind" | "after" | "before";

const FILTERS: Record<string, Filtered | undefined> = {
  site: "site",
  filetype: "filetype",
  lang: "language",
  kind: "kind",
  after: "after",
  before: "before",
};

const RANGE = /^(?!\.\.$)([^\s"().]*(?:\.[^\s"().]+)*)\.\.([^\s"()]*)$/;
const OPERATOR = /^(AND|OR|XOR|NOT|NEAR(\/\d+)?)$/;

interface PieceOfQuery {
  sign: "" | "+" | "-";
  field: string;
  /** A word, a phrase with its quotes, or a group with its parentheses. */
  body: string;
  raw: string;
  operator: boolean;
}

/** A query cut at the blanks between its outermost parts. */
function piecesOf(text: string): PieceOfQuery[] {
  const pieces: PieceOfQuery[] = [];
  let at = 0;
  while (at < text.length) {
    if (/\s/.test(text[at])) {
      at++;
      continue;
    }
    const start = at;
    let depth = 0;
    let quote = false;
    while (at < text.length && (quote || depth > 0 || !/\s/.test(text[at]))) {
      if (text[at] === '"') quote = !quote;
      else if (!quote && text[at] === "(") depth++;
      else if (!quote && text[at] === ")") depth--;
      at++;
    }
    const raw = text.slice(start, at);
    const sign = /^[+-]./.test(raw) ? (raw[0] as "+" | "-") : "";
    const signed = sign ? raw.slice(1) : raw;
    const named = /^([\p{L}_][\p{L}\p{N}_.-]*):(?=\S)/u.exec(signed);
    const body = named ? signed.slice(named[0].length) : signed;
    pieces.push({ sign, field: named?.[1] ?? "", body, raw, operator: OPERATOR.test(raw) });
  }
  return pieces;
}

/** The words of `(a OR b OR "c d")`; null if it is anything else. */
function orWords(group: string): string[] | null {
  if (!group.endsWith(")")) return null;
  const pieces = piecesOf(group.slice(1, -1));
  const words: string[] = [];
  for (const [at, piece] of pieces.entries()) {
    if (at % 2 === 1) {
      if (piece.raw !== "OR") return null;
    } else if (piece.operator || piece.sign || piece.field || piece.body.startsWith("(")) {
      return null;
    } else {
      words.push(piece.body);
    }
  }
  return pieces.length % 2 === 1 && words.length > 1 ? words : null;
}

/** Words and quoted phrases that someone typed into a box, without signs that would mean something else. */
function wordsOf(text: string): string[] {
  const found = text.match(/"[^"]*"?|[^\s"]+/g) ?? [];
  return found
    .map((word) => (word.startsWith('"') ? `"${clean(word)}"` : word.replace(/[()]/g, "").replace(/^[+-]+/, "")))
    .map((word) => (OPERATOR.test(word) ? word.toLowerCase() : word))
    .filter((word) => word !== "" && word !== '""');
}

function clean(text: string): string {
  return text.replaceAll('"', " ").trim().replace(/\s+/g, " ");
}

function oneValue(value: string): string {
  const trimmed = value.trim();
  return /[\s()]/.test(trimmed) ? `"${clean(trimmed)}"` : trimmed;
}
