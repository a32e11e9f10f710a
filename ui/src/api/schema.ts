// Made by `npm run api` from openapi.json; change the server, not this file.

/** Which version to accept. */
export type AcceptVersion = {
  /** Of this page. */
  url: string;
  /** The version that stood then, of a date alone at its end; the last unless said. */
  at?: string | null;
};

/** A version that was accepted. */
export type AcceptedVersion = {
  /** The page. */
  url: string;
  /** When the version was fetched. */
  version: string;
  /** When it was accepted. */
  at: string;
};

/** What may be done about a run's health. */
export type Action = {
  /** `exclude`, `slow`, `fields`, `robots`, `show` or `none`. */
  kind: string;
  /** On the button. */
  label: string;
  /** What to exclude. */
  pattern?: string | null;
  /** Which field. */
  field?: string | null;
  /** Pages of which outcome. */
  outcome?: string | null;
};

/** Something worth a look. */
export type Attention = {
  /** How much. */
  level: AttentionLevel;
  /** In words. */
  text: string;
  action?: Action | null;
};

/** How much attention. */
export type AttentionLevel = "info" | "warn" | "error";

/** How to begin. */
export type BeginRun = {
  /** Start over. */
  fresh?: boolean;
  /** Put URLs that failed back into the queue. */
  only_failed?: boolean;
  /** Ask for pages again that are due, and for what is new. */
  refresh?: boolean;
};

/** A link that brings much. */
export type BestLink = {
  /** The page it stands on. */
  source: string;
  /** How much of the target's rank it brings. */
  brings: number;
  /** Its words. */
  anchor: string;
};

/** A host or folder. */
export type Branch = {
  /** Its name; `…` for all that are not told apart. */
  name: string;
  /** Pages fetched in it. */
  pages: number;
  /** URLs that wait. */
  waiting: number;
  /** URLs that failed. */
  failed: number;
  /** All other URLs: redirects, and what rules leave out. */
  other: number;
  /** Folders and files in it. */
  branches: Branch[];
};

/** How much there is. */
export type ChangeCounts = {
  /** Pages with more than one version, or with other images than before. */
  changed: number;
  /** Those of them of which only noise differs. */
  noise: number;
  /** Images that are others than before. */
  images?: number;
  /** Pages that are gone. */
  gone: number;
  /** Pages that lead elsewhere now. */
  moved?: number;
  /** Pages that are kept, images aside. */
  pages: number;
};

/** The details of a change. */
export type ChangeDetails = {
  /** Words that came and went, in order. */
  words: ChangedWords[];
  /** Levels of the tree that differ. */
  levels: ChangedLevel[];
  /** Attributes that differ, as `path@name`. */
  attributes?: string[];
  /** Images that came, went or are others, where images are fetched. */
  images?: ChangedImage[];
  /** Text I of both. */
  text_one: number[];
  /** Text II of both. */
  text_two: number[];
  /** The main text before, without noise. */
  text_before: string;
  /** The same after. */
  text_after: string;
};

/** A step of the cascade. */
export type ChangeStep = {
  /** `tags`, `levels`, `text codes` and `image ival` are cheap and can be fooled; `hash`, `tree diff`, `word diff` and `image hash` decide. */
  step: string;
  /** What it has for the earlier version. */
  before: string;
  /** What it has for the later one. */
  after: string;
  /** Whether both differ. */
  differs: boolean;
};

/** An image that came, went, or is another. */
export type ChangedImage = {
  /** Where it is. */
  url: string;
  /** What became of it: `added`, `removed`, `replaced`, or `saved-again`: other bytes that look the same. */
  became: string;
  /** When each of both was fetched, where it was. */
  at: (string | null)[];
  /** The exact number of each (ival), at `image_side` points a side. */
  numbers: (string | null)[];
  /** The perceptual hash of each, in hexadecimal digits: it decides whether they look the same. */
  hashes: (string | null)[];
  /** Bits in which the hashes differ, of 64. */
  distance?: number | null;
  /** Both as data URLs, where they are small enough and were asked for. */
  pictures: (string | null)[];
};

/** A level of the tree that differs. */
export type ChangedLevel = {
  /** The root is at 1. */
  level: number;
  /** Elements before and after. */
  elements: number[];
  /** Elements with other text. */
  edited: string[];
  /** Elements that came. */
  added: string[];
  /** Elements that went. */
  removed: string[];
};

/** Words that came or went. */
export type ChangedWords = {
  /** They came. */
  added: boolean;
  /** The words. */
  words: string;
  /** Words before them in the version that has them. */
  at: number;
};

/** A line of the answer. */
export type ChangesRow = PageChange & {
  row: "change";
} | {
  /** The page. */
  url: string;
  /** What its server said, 404 or 410. */
  status: number;
  /** When it first said that the page is not there. */
  first: string;
  /** When it said so again, days later. */
  last: string;
  /** The same in words. */
  words: string;
  row: "gone";
} | {
  /** The page. */
  url: string;
  /** Where it leads. */
  to: string;
  /** Since when. */
  at: string;
  row: "moved";
} | ChangeCounts & {
  row: "counts";
};

/** A project that was looked at. */
export type CheckedProject = {
  /** As a file's keys and values; none when it cannot be used. */
  project?: unknown;
  /** As a file: as given, or as made from what was given. */
  yaml: string;
  /** What is wrong. */
  errors: Mistake[];
};

/** What two texts have in common. */
export type Compared = {
  /** Hashes in both, of those in the text that has more. */
  similarity: number;
  /** The part of the text that stands in common passages. */
  share: number;
  /** Hashes in both, of the first text's. */
  a_in_b: number;
  /** Hashes in both, of the second text's. */
  b_in_a: number;
  /** Letter for letter the same. */
  same: boolean;
  /** What both have. */
  passages: SharedPassage[];
};

/** How texts are cut and hashed. */
export type Cut = {
  /** Characters that are hashed together. */
  k?: number | null;
  /** Hashes of which one is kept. */
  w?: number | null;
  hash?: HashName | null;
};

/** How many URLs lie so deep. */
export type Depth = {
  /** Links from a start URL. */
  depth: number;
  /** Pages fetched. */
  pages: number;
  /** All URLs. */
  urls: number;
};

/** A page with lists. */
export type DetectAsked = PageGiven & ({
  /** Which list the project reads, from 1. */
  list?: number | null;
  /** Do not ask for the first row's own page. */
  no_detail?: boolean;
});

/** One of many texts. */
export type Document = {
  /** What it is called in the answer. */
  id: unknown;
  /** It. */
  text: string;
};

/** Many texts. */
export type DocumentsGiven = Cut & ({
  /** They. */
  documents: Document[];
  /** Near duplicates from here on; 0.7 unless said. */
  threshold?: number | null;
});

/** Pages that say the same. */
export type DuplicateGroup = {
  /** The page that stands for the group: by rank, then the shorter URL, then its bytes. */
  chosen: string;
  /** All have exactly the same text. */
  exact: boolean;
  /** How many pages it has. */
  pages: number;
  /** The pages, the chosen one first; of many the first hundred. */
  members: DuplicateMember[];
};

/** A page of a group. */
export type DuplicateMember = {
  /** The page. */
  url: string;
  /** How alike it is to the chosen one, 0 to 1; none where only others of the group are like it. */
  similarity?: number | null;
  /** Its rank, where the mean of all pages is 1. */
  rank?: number | null;
};

/** What two pages share. */
export type DuplicatePair = {
  /** The first page. */
  first: string;
  /** The second. */
  second: string;
  /** The part of their fingerprints that both have, of the page that has more. */
  similarity: number;
  /** Of the first page's. */
  of_first: number;
  /** Of the second page's. */
  of_second: number;
  /** The part of the text that stands in common passages, the smaller of the two. */
  share: number;
  /** The passages, in the order of the first page. */
  passages: SharedPassage[];
  /** Passages that are not shown. */
  left_out: number;
};

/** What to measure. */
export type EvaluateRequest = {
  /** In this index; that of the project that ran last unless said. */
  index?: string | null;
  /** Queries by their ids. */
  queries: Record<string, string>;
  /** TREC qrels, or query, document and grade; documents go by their URLs. */
  judgments: string;
  /** The ranking that is measured. */
  ranking: Record<string, unknown>;
  /** One that it is compared with. */
  against?: Record<string, unknown> | null;
  /** The measures; the usual ones if empty. */
  measures: string[];
};

/** URLs to leave out. */
export type ExcludeAsked = {
  /** Patterns as in `exclude`. */
  patterns: string[];
  /** Only count. */
  dry_run?: boolean;
};

/** What patterns leave out. */
export type Excluded = {
  /** URLs that wait, and will not be asked for. */
  waiting: number;
  /** Some of them. */
  examples: string[];
};

/** A URL that is asked for now, with the link that led to it. */
export type Fetching = {
  /** The URL. */
  url: string;
  /** Milliseconds since its turn came. */
  since_ms: number;
  /** Host and port. */
  host: string;
  /** Links from a start URL. */
  depth: number;
  /** The page that led to it; none for a start URL. */
  found_on?: string | null;
  /** The link's words. */
  anchor?: string | null;
  /** 3 bold and italic, 2 bold or italic, 1 plain. */
  visibility?: number | null;
  /** 3 first, 2 middle, 1 last third of the page. */
  position?: number | null;
  /** 5 another host, 1 the same. */
  distance?: number | null;
};

/** How often a field was found. */
export type FieldCoverage = {
  /** The field. */
  field: string;
  /** Rows that have it. */
  found: number;
  /** Rows. */
  rows: number;
  /** What is odd about it, in words. */
  note?: string | null;
};

/** The fingerprint of a text. */
export type Fingerprint = {
  /** The hash of the whole. */
  exact: string;
  /** How many hashes are kept. */
  count: number;
  /** They, in the order of the text. */
  minutiae: KeptHash[];
};

/** How long a crawl takes, by what is known of its sites. */
export type Forecast = {
  /** In plain words; none when nothing is known yet. */
  words?: string | null;
  /** What that is based on. */
  basis: string;
  /** Pages of the whole crawl. */
  pages: number;
  /** Seconds that the whole crawl takes. */
  seconds: number;
  /** A share of all link mass: nine tenths of what the crawl gathers in the end. */
  share: number;
  /** Seconds after which the pages fetched hold it. */
  share_seconds: number;
  /** The share that it gathers in the end: less than all where limits or refusals leave pages out. */
  share_in_the_end: number;
};

/** A link. */
export type GraphLink = {
  /** The page it stands on. */
  source: string;
  /** Where it leads. */
  target: string;
  /** Its words. */
  anchor: string;
  /** 3 bold and italic, 2 bold or italic, 1 plain. */
  visibility: number;
  /** 3 first, 2 middle, 1 last third of its page. */
  position: number;
  /** 5 another host, 3 the same domain, 1 the same host. */
  distance: number;
  /** What it weighs in ranks. */
  weight: number;
  /** Which markup it came from. */
  kind: string;
  /** The author does not vouch for it. */
  nofollow: boolean;
  /** Whether it was followed. */
  followed: boolean;
};

/** A way to hash. */
export type HashName = "rolling" | "md5";

/** Whether a run is well: shares of its latest pages, and one sentence. */
export type Health = {
  /** Share of pages as they should be. */
  good: number;
  /** Share of pages that lack something. */
  warn: number;
  /** Share of tries that failed. */
  bad: number;
  /** The whole. */
  level: Level;
  /** In words. */
  sentence: string;
  action?: Action | null;
};

/** What an index is to become. */
export type IndexGiven = {
  /** Over these projects. */
  projects?: string[];
  /** Its settings, as under `index` in a project. */
  settings: unknown;
};

/** An index. */
export type IndexShown = {
  name: string;
  projects: string[];
  /** Its settings. */
  settings: unknown;
  /** How it stands. */
  status: unknown;
  /** What hits can be counted, narrowed and ordered by: `facet`, `number` or `date`. */
  columns: unknown;
  /** Changes with each edit; the ETag. */
  version: string;
};

/** A hash that is kept. */
export type KeptHash = {
  /** The hash. */
  hash: string;
  /** Its place among the letters and digits. */
  at: number;
  /** Its first byte in the text. */
  start: number;
  /** The byte behind its last. */
  end: number;
};

/** How well. */
export type Level = "good" | "warn" | "bad";

/** The links of a crawl in figures. */
export type LinkFigures = {
  /** Links on pages. */
  links: number;
  /** Those to other hosts. */
  outward: number;
  /** Those that are not followed. */
  unfollowed: number;
  /** Those to URLs that failed. */
  broken: number;
  /** Those to URLs that lead elsewhere. */
  moved: number;
  /** Pages without links. */
  dead_ends: number;
};

/** A report on links. */
export type LinkList = "broken" | "redirects" | "orphans" | "slow";

/** A link, and whether it would be followed. */
export type LinkVerdict = {
  /** Where it leads. */
  url: string;
  /** Would it be followed? */
  follow: boolean;
  /** Why not, or what for. */
  reason?: string | null;
};

/** What becomes of the page's links. */
export type LinkVerdicts = {
  /** How many would be followed. */
  follow: number;
  /** How many not. */
  skip: number;
  /** The first of them. */
  examples: LinkVerdict[];
};

/** Which links. */
export type LinksOf = "all" | {
  /** Those that lead to a URL. */
  to: string;
} | {
  /** Those that stand on a page. */
  from: string;
};

/** A field of a list. */
export type ListField = {
  /** From the page's own words where it has some. */
  name: string;
  /** What it holds. */
  kind: string;
  /** Selects it inside a row. */
  selector: unknown;
  /** The attribute that holds the value. */
  attribute?: string | null;
  /** Rows that have it. */
  found: number;
  /** The first few values. */
  examples: string[];
};

/** A page of a list. */
export type List_ChangesRow = {
  /** The items. */
  items: (PageChange & {
    row: "change";
  } | {
    /** The page. */
    url: string;
    /** What its server said, 404 or 410. */
    status: number;
    /** When it first said that the page is not there. */
    first: string;
    /** When it said so again, days later. */
    last: string;
    /** The same in words. */
    words: string;
    row: "gone";
  } | {
    /** The page. */
    url: string;
    /** Where it leads. */
    to: string;
    /** Since when. */
    at: string;
    row: "moved";
  } | ChangeCounts & {
    row: "counts";
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_DuplicateGroup = {
  /** The items. */
  items: {
    /** The page that stands for the group: by rank, then the shorter URL, then its bytes. */
    chosen: string;
    /** All have exactly the same text. */
    exact: boolean;
    /** How many pages it has. */
    pages: number;
    /** The pages, the chosen one first; of many the first hundred. */
    members: DuplicateMember[];
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_Fetching = {
  /** The items. */
  items: ({
    /** The URL. */
    url: string;
    /** Milliseconds since its turn came. */
    since_ms: number;
    /** Host and port. */
    host: string;
    /** Links from a start URL. */
    depth: number;
    /** The page that led to it; none for a start URL. */
    found_on?: string | null;
    /** The link's words. */
    anchor?: string | null;
    /** 3 bold and italic, 2 bold or italic, 1 plain. */
    visibility?: number | null;
    /** 3 first, 2 middle, 1 last third of the page. */
    position?: number | null;
    /** 5 another host, 1 the same. */
    distance?: number | null;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_GraphLink = {
  /** The items. */
  items: {
    /** The page it stands on. */
    source: string;
    /** Where it leads. */
    target: string;
    /** Its words. */
    anchor: string;
    /** 3 bold and italic, 2 bold or italic, 1 plain. */
    visibility: number;
    /** 3 first, 2 middle, 1 last third of its page. */
    position: number;
    /** 5 another host, 3 the same domain, 1 the same host. */
    distance: number;
    /** What it weighs in ranks. */
    weight: number;
    /** Which markup it came from. */
    kind: string;
    /** The author does not vouch for it. */
    nofollow: boolean;
    /** Whether it was followed. */
    followed: boolean;
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_IndexShown = {
  /** The items. */
  items: {
    name: string;
    projects: string[];
    /** Its settings. */
    settings: unknown;
    /** How it stands. */
    status: unknown;
    /** What hits can be counted, narrowed and ordered by: `facet`, `number` or `date`. */
    columns: unknown;
    /** Changes with each edit; the ETag. */
    version: string;
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_Mirror = {
  /** The items. */
  items: {
    /** Where the chosen pages are; the star stands for what both have in common, `#` for any number. */
    pattern: string;
    /** Where their copies are. */
    copy: string;
    /** On another host. */
    other_host: boolean;
    /** Pages that stand under both. */
    pages: number;
    /** One of them, as it is chosen. */
    example: string;
    /** Its copy. */
    example_copy: string;
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_NearPair = {
  /** The items. */
  items: ({
    /** One. */
    a: unknown;
    /** The other. */
    b: unknown;
    /** How alike they are, which is held against the threshold: hashes in both, of those in the text that has more, or where that is too little the share. */
    similarity: number;
    /** The part of the text that stands in common passages, where that decided. */
    share?: number | null;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_PageRow = {
  /** The items. */
  items: ({
    /** The URL. */
    url: string;
    /** Name of the outcome. */
    outcome: string;
    /** The outcome in words. */
    words: string;
    /** Status of the latest answer. */
    status?: number | null;
    /** Links on the shortest known path from a start URL. */
    depth: number;
    /** When it was first met. */
    found_at: string;
    /** When it was last asked for. */
    fetched_at?: string | null;
    /** How long the latest answer took. */
    millis?: number | null;
    /** Bytes of the latest body, as transferred. */
    bytes?: number | null;
    /** Content type. */
    content_type?: string | null;
    /** Title, if it is a page. */
    title?: string | null;
    /** The page before it on its path. */
    via?: string | null;
    /** How often it has failed. */
    tries: number;
    /** When it is due, if it waits. */
    due?: string | null;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_PageVersion = {
  /** The items. */
  items: ({
    /** The page. */
    url: string;
    /** When it was fetched. */
    at: string;
    /** Its title. */
    title?: string | null;
    /** Its content type. */
    content_type?: string | null;
    /** Bytes of its content. */
    bytes: number;
    /** It is the one that was accepted last. */
    accepted?: boolean;
    /** Its main text, where one version was asked for. */
    text?: string | null;
    /** Its content, decoded, where one version was asked for and it is text. */
    content?: string | null;
    /** The bytes of its content in Base64, where it is no text, as images and PDFs are, or they were asked for. */
    raw?: string | null;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_ProjectCard = {
  /** The items. */
  items: ({
    /** Its name. */
    name: string;
    /** Where its crawl begins. */
    start: string[];
    /** When it was made. */
    created: string;
    /** Pages it has. */
    pages: number;
    /** Rows it has. */
    rows: number;
    last_run?: RunView | null;
    /** What someone should know. */
    attention: Attention[];
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_RowVersion = {
  /** The items. */
  items: {
    /** The run. */
    run: number;
    /** When it began. */
    started_at: string;
    /** What became of the row since the run before. */
    status: string;
    /** The page it is or was on. */
    page: string;
    /** Its fields, as they were; empty when it was not there. */
    cells: Record<string, unknown>;
    /** Fields that differ from the run before. */
    changed: string[];
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_RunView = {
  /** The items. */
  items: ({
    /** Its number. */
    id: number;
    /** Its project's name. */
    project: string;
    /** Where it stands. */
    state: RunPhase;
    /** Why, where that is worth a word. */
    reason?: string | null;
    /** When it began. */
    started_at: string;
    /** When it ended; none while it runs, and when nobody saw it end. */
    ended_at?: string | null;
    /** The settings it began with. */
    settings: unknown;
    progress?: ProgressView | null;
    /** How it went, at its end. */
    summary?: unknown;
    /** How long it will still take, in seconds; a guess. */
    eta_seconds?: number | null;
    /** What the guess is reckoned from. */
    eta_basis?: string | null;
    /** Whether it is well. */
    health: Health;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_Sample = {
  /** The items. */
  items: {
    id: string;
    title: string;
    text: string;
    /** Its project file. */
    yaml: string;
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_Token = {
  /** The items. */
  items: ({
    /** Its number. */
    id: number;
    /** What people call it. */
    name: string;
    /** When it was made. */
    created: string;
    /** When it was last shown, within a minute. */
    last_used?: string | null;
    /** When it ends to be good. */
    expires?: string | null;
    /** The token itself, told once. */
    token?: string | null;
  })[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_TypeCoverage = {
  /** The items. */
  items: {
    /** The page type. */
    page_type: string;
    /** Pages with rows. */
    pages: number;
    /** Rows. */
    rows: number;
    /** Rows in which each field was found and understood. */
    found: Record<string, number>;
  }[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** A page of a list. */
export type List_Value = {
  /** The items. */
  items: unknown[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
};

/** How much a line matters. */
export type LogLevel = "info" | "warn" | "error";

/** A line. */
export type LogLine = {
  /** Its number, from 1. */
  seq: number;
  /** When. */
  time: string;
  /** How much it matters. */
  level: LogLevel;
  /** About this URL. */
  url?: string | null;
  /** In words. */
  message: string;
};

/** Some lines, the newest last. */
export type LogPage = {
  /** The lines. */
  items: LogLine[];
  /** The cursor of what comes after them, now or later; none when the run is over and these were the last. */
  next?: string | null;
  /** The cursor of what comes before them; none when nothing does. */
  previous?: string | null;
};

/** Which lines. */
export type LogRequest = {
  level?: LogLevel | null;
  /** Whose URL has this in it. */
  url?: string | null;
  /** Whose words, or URL, have this in them, in any case. */
  text?: string | null;
  /** `N`: after line N; `<N`: the last ones before line N. Without it the last ones. */
  cursor?: string | null;
  /** At most so many. */
  limit?: number | null;
};

/** Which page to look at. */
export type Look = {
  /** Where it stands; without a scheme https is meant. */
  url: string;
  /** The page itself; asked for if missing. */
  html?: string | null;
  /** As this project asks and reads; a new one unless said. */
  project?: string | null;
};

/** A page of the picture. */
export type MapPage = {
  /** Its URL. */
  url: string;
  /** Its title, if it was fetched. */
  title?: string | null;
  /** Its PageRank, where the mean of all is 1. */
  rank: number;
  /** Links from a start URL. */
  depth: number;
  /** What became of it. */
  outcome: string;
  /** The pages on the way to it, the start first. */
  path: string[];
};

/** What a project's settings come to. */
export type Meaning = {
  /** One consequence each. */
  sentences: string[];
  /** Which pages are taken. */
  scope_sentence: string;
  /** Pages at most; none when nothing limits them. */
  pages_estimate?: number | null;
  /** Seconds that they take at most at this pace from one host; none when nothing limits them. */
  seconds_estimate?: number | null;
};

/** Two patterns of URLs under which the same pages stand. */
export type Mirror = {
  /** Where the chosen pages are; the star stands for what both have in common, `#` for any number. */
  pattern: string;
  /** Where their copies are. */
  copy: string;
  /** On another host. */
  other_host: boolean;
  /** Pages that stand under both. */
  pages: number;
  /** One of them, as it is chosen. */
  example: string;
  /** Its copy. */
  example_copy: string;
};

/** Something wrong with a project. */
export type Mistake = {
  /** From 1; 0 when it is about the whole. */
  line: number;
  /** From 1, in characters; 0 when it is about the whole. */
  column: number;
  /** The keys that lead there: `crawl.max_pages`; empty at the top. */
  path: string;
  /** One sentence. */
  message: string;
};

/** Two of many that are nearly the same. */
export type NearPair = {
  /** One. */
  a: unknown;
  /** The other. */
  b: unknown;
  /** How alike they are, which is held against the threshold: hashes in both, of those in the text that has more, or where that is too little the share. */
  similarity: number;
  /** The part of the text that stands in common passages, where that decided. */
  share?: number | null;
};

/** What an index is to be. */
export type NewIndex = {
  name: string;
  /** Over these projects; over the one that ran last if none is said. */
  projects?: string[];
  /** Its settings, as under `index` in a project. */
  settings?: unknown;
};

/** What a token is to be. */
export type NewToken = {
  /** What people call it. */
  name: string;
  /** Days until it ends to be good; never unless said. */
  days?: number | null;
};

/** When something may be asked again. */
export type NextDue = {
  /** Then. */
  at: string;
  /** This host. */
  host?: string | null;
};

/** A place at which noise differs. */
export type NoisePlace = {
  /** The path of the element, with ids, classes and positions from the second on; of an attribute with `@name`. */
  place: string;
  /** What stood there. */
  before: string;
  /** What stands there. */
  after: string;
};

/** What the pages of a run are worth. */
export type Outlook = {
  /** Mean PageRank of the pages of each hour. */
  hours: RankHour[];
  /** What was found and fetched in each quarter of an hour. */
  quarters: Quarter[];
  /** Relevance of the latest pages, in the order in which they were fetched; empty without a topic. */
  relevance: number[];
  /** Mean relevance of every hundred pages; empty without a topic. */
  relevance_blocks: number[];
};

/** What differs between two versions of a page. */
export type PageChange = {
  /** The page. */
  url: string;
  /** When the earlier version was fetched. */
  before: string;
  /** When the later one was. */
  after: string;
  /** Versions that are kept. */
  versions: number;
  /** What differs first: `same`, `tags`, `tree`, `text`, `attributes`, `image`, or `source`: only scripts, comments, white space and what else nobody reads. */
  level: string;
  /** How much of the text is another: `none`, `no-text`, `small`, `medium`, `large` or `complete`. */
  severity: string;
  /** The same against the first version. */
  severity_since_first: string;
  /** When the version that was accepted last was fetched, where one was. */
  accepted?: string | null;
  /** How much of the text is another against that version. */
  severity_since_accepted?: string | null;
  /** Only clocks, counters and the like differ that change every time, or what was named as noise. */
  noise: boolean;
  /** Words that came; noise is not counted. */
  words_added: number;
  /** Words that went. */
  words_removed: number;
  /** What differs as noise, where one page or noise was asked for. */
  noise_places?: NoisePlace[];
  /** The cascade step by step, where one page was asked for. */
  steps?: ChangeStep[];
  details?: ChangeDetails | null;
};

/** A column of rows. */
export type PageColumn = {
  /** Its name. */
  name: string;
  /** What it holds. */
  kind: string;
};

/** A page: given, or asked for once at its URL. */
export type PageGiven = {
  /** Its text. */
  html?: string | null;
  /** Its bytes, in base 64. */
  html_base64?: string | null;
  /** Where it stands. */
  url?: string | null;
  /** What it is, as a server would say it. */
  content_type?: string | null;
  /** How to ask for it: crawl settings. */
  crawl?: Record<string, unknown> | null;
};

/** A list on the page. */
export type PageList = {
  /** From 0. */
  index: number;
  /** Its selector, for people. */
  name: string;
  /** How many rows. */
  rows: number;
  /** Selects the rows. */
  row: unknown;
  /** What stands in them. */
  fields: ListField[];
  /** Selects the link to the next page. */
  next?: unknown;
  /** The field whose links lead to a page for each row. */
  detail_field?: string | null;
  /** The rows' elements. */
  nodes: number[];
  /** The page types that read it, as in a project file. */
  template: unknown;
};

/** What a project reads from a page. */
export type PageReading = {
  /** The page type that takes the page; none when the project has no fields, or no type takes it. */
  page_type?: string | null;
  /** Its fields. */
  columns: PageColumn[];
  /** Its rows, field by field. */
  rows: Record<string, unknown>[];
  /** How often each field was found. */
  coverage: FieldCoverage[];
  /** True when the page has more than is read of one page. */
  cut: boolean;
  /** What becomes of its links. */
  links: LinkVerdicts;
  /** What a crawl would do. */
  scope: Scope;
};

/** A URL with its outcome. */
export type PageRow = {
  /** The URL. */
  url: string;
  /** Name of the outcome. */
  outcome: string;
  /** The outcome in words. */
  words: string;
  /** Status of the latest answer. */
  status?: number | null;
  /** Links on the shortest known path from a start URL. */
  depth: number;
  /** When it was first met. */
  found_at: string;
  /** When it was last asked for. */
  fetched_at?: string | null;
  /** How long the latest answer took. */
  millis?: number | null;
  /** Bytes of the latest body, as transferred. */
  bytes?: number | null;
  /** Content type. */
  content_type?: string | null;
  /** Title, if it is a page. */
  title?: string | null;
  /** The page before it on its path. */
  via?: string | null;
  /** How often it has failed. */
  tries: number;
  /** When it is due, if it waits. */
  due?: string | null;
};

/** A version of a page. */
export type PageVersion = {
  /** The page. */
  url: string;
  /** When it was fetched. */
  at: string;
  /** Its title. */
  title?: string | null;
  /** Its content type. */
  content_type?: string | null;
  /** Bytes of its content. */
  bytes: number;
  /** It is the one that was accepted last. */
  accepted?: boolean;
  /** Its main text, where one version was asked for. */
  text?: string | null;
  /** Its content, decoded, where one version was asked for and it is text. */
  content?: string | null;
  /** The bytes of its content in Base64, where it is no text, as images and PDFs are, or they were asked for. */
  raw?: string | null;
};

/** Where a passage stands. */
export type PassagePlace = {
  /** Its first byte. */
  start: number;
  /** The byte behind its last. */
  end: number;
  /** Its words. */
  text: string;
};

/** One element on the way from the page's root to an element. */
export type PathStep = {
  /** The element. */
  id: number;
  /** Its tag. */
  tag: string;
  /** Tag, id and classes, as CSS has them. */
  label: string;
  /** How its text begins. */
  text: string;
  /** `path` from the root to the element, `child` for its children. */
  relation: string;
};

/** The expression for what was pointed at, and what it selects. */
export type PickedNodes = {
  /** `{"css": …}` or `{"xpath": …}`; none when nothing tells the meant from the excluded. */
  selector?: unknown;
  /** How many elements. */
  count: number;
  /** The elements. */
  nodes: number[];
  /** The first values. */
  values: string[];
};

/** What was pointed at. */
export type Pointed = {
  /** Elements that are meant. */
  include?: number[];
  /** Elements that are not. */
  exclude?: number[];
  /** Rows that they are fields of: an expression that selects them. */
  rows?: string | null;
  /** The attribute to take values from. */
  attribute?: string | null;
};

/** One number a point in each list. Times are in milliseconds, `queue` is what waited at the point's end; the rest are counts. */
export type Points = {
  /** Pages kept. */
  pages: number[];
  /** Rows read. */
  rows: number[];
  /** Tries that failed. */
  errors: number[];
  /** Half of the answers took no longer; none where there was none. */
  latency_p50: (number | null)[];
  /** 95 of 100 took no longer. */
  latency_p95: (number | null)[];
  /** Answers by class of status. */
  s2xx: number[];
  /** Redirects. */
  s3xx: number[];
  /** Refusals. */
  s4xx: number[];
  /** The server's own failures. */
  s5xx: number[];
  /** Tries without an answer. */
  failed: number[];
  /** URLs that waited. */
  queue: number[];
};

/** A place in a text. */
export type Position = {
  /** From 1. */
  line: number;
  /** From 1, in characters. */
  column: number;
  /** From 0, in bytes. */
  offset?: number | null;
};

/** A page looked at. */
export type PreviewAnswer = {
  /** To ask more about it; none when it could not be had. */
  id?: string | null;
  /** Where it stands, after redirects. */
  url: string;
  /** What the server said. */
  status?: number | null;
  /** How long that took. */
  fetched_ms?: number | null;
  /** The page's length. */
  bytes?: number | null;
  robots?: RobotsSays | null;
  /** What was asked for first, and each hop but the last. */
  redirects: string[];
  /** True when there is hardly any text: scripts probably draw the page. */
  thin: boolean;
  /** The lists found, the most telling first. */
  lists: PageList[];
  /** The project that reads the first list, as its file; the project asked for if one was. */
  project?: unknown;
  reading?: PageReading | null;
  failure?: PreviewFailure | null;
};

/** Why a page could not be had, and what to try. */
export type PreviewFailure = {
  /** One sentence. */
  what: string;
  robots?: RobotsSays | null;
  /** What may help. */
  advice: string[];
};

/** A refusal or failure (RFC 9457). */
export type Problem = {
  /** Names the kind of problem. */
  type: string;
  /** The status in words. */
  title: string;
  /** The status. */
  status: number;
  /** What is wrong, in one sentence. */
  detail: string;
  /** What it means to the caller. */
  class?: string | null;
  position?: Position | null;
  /** What to do. */
  do?: string | null;
  /** The version that is current, when an edit was based on an older one. */
  version?: string | null;
  /** Every mistake of a project. */
  errors?: Mistake[];
};

/** A run at one moment. Counts are of the whole crawl, over all its runs; times are in seconds. */
export type ProgressView = {
  /** Pages kept. */
  pages: number;
  /** Pages kept by this run. */
  pages_now: number;
  /** URLs that have their final outcome. */
  done: number;
  /** URLs that are to be fetched or were. */
  known: number;
  /** `max_pages`, if set. */
  limit?: number | null;
  /** URLs that wait, retries included. */
  queue: number;
  /** Rows that the template read. */
  rows: number;
  /** Failed tries. */
  errors: number;
  /** URLs that failed for good. */
  failed: number;
  /** URLs that are not fetched: out of scope, excluded, over a limit, a trap, forbidden by robots.txt. */
  skipped: number;
  /** Bytes of all bodies kept. */
  bytes: number;
  /** Bytes kept by this run. */
  bytes_now: number;
  /** Requests sent by this run. */
  requests_now: number;
  /** Pages per second, lately. */
  pages_per_second: number;
  /** Hosts that may be asked now. */
  hosts_ready: number;
  /** Hosts that rest. */
  hosts_resting: number;
  /** Slots at work. */
  slots_busy: number;
  /** Slots. */
  slots: number;
  /** Since the run began. */
  running: number;
  /** Since the last answer came. */
  quiet: number;
  /** Why it is held. */
  paused?: string | null;
  next_due?: NextDue | null;
};

/** A project in a list. */
export type ProjectCard = {
  /** Its name. */
  name: string;
  /** Where its crawl begins. */
  start: string[];
  /** When it was made. */
  created: string;
  /** Pages it has. */
  pages: number;
  /** Rows it has. */
  rows: number;
  last_run?: RunView | null;
  /** What someone should know. */
  attention: Attention[];
};

/** A project as text or as JSON. */
export type ProjectGiven = {
  /** The project's file. */
  yaml?: string | null;
  /** The same as JSON. */
  project?: unknown;
};

/** A project with its definition. */
export type ProjectView = {
  /** Its name. */
  name: string;
  /** As a file's keys and values. */
  project: unknown;
  /** As a file. */
  yaml: string;
  /** Changes with every edit. */
  version: string;
  /** When it was made. */
  created: string;
  /** What its crawl has brought; none before its first run. */
  summary?: Record<string, unknown> | null;
  /** What someone should know. */
  attention: Attention[];
  last_run?: RunView | null;
};

/** What a run did in a quarter of an hour. */
export type Quarter = {
  /** URLs met for the first time. */
  discovered: number;
  /** Pages fetched. */
  fetched: number;
  /** Those on topic. */
  on_topic: number;
};

/** What to rank by. */
export type RankBy = "pages" | "hosts" | "harmonic";

/** The pages that a run fetched in one hour. */
export type RankHour = {
  /** Its number, from 1. */
  hour: number;
  /** How many. */
  pages: number;
  /** Their mean rank, where that of all known pages is 1. */
  mean: number;
};

/** A line of the answer. */
export type RankRow = {
  /** URL, or name of the host. */
  id: string;
  /** Its rank; of all together 1. */
  rank: number;
  /** Its place, from 1. */
  place: number;
  /** What became of the page. */
  outcome?: string | null;
  /** Its rank with the usual weights, where others were asked for. */
  rank_before?: number | null;
  /** Its place with the usual weights. */
  place_before?: number | null;
  /** The links that bring it most. */
  best?: BestLink[];
  row: "ranked";
} | {
  /** Its number, from 1. */
  hour: number;
  /** How many. */
  pages: number;
  /** Their mean rank, where that of all known pages is 1. */
  mean: number;
  row: "hour";
} | {
  /** Pages, or hosts. */
  pages: number;
  /** Links between them. */
  links: number;
  /** When it was computed. */
  at: string;
  unknown?: UnknownTrusted | null;
  row: "graph";
};

/** Pages or hosts by their ranks. */
export type Ranks = {
  /** They, the highest first; with other weights of links, what moves most first, each with its rank and place by the usual ones. */
  items: RankRow[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
  graph?: RankRow | null;
};

/** Settings in chapters. */
export type Reference = {
  /** The chapters, in order. */
  groups: SettingGroup[];
};

/** A robots.txt and a URL. */
export type RobotsAsked = {
  /** The file. */
  robots?: string | null;
  /** The file, in base 64. */
  robots_base64?: string | null;
  /** Name of the crawler that asks; `gannet` unless said. */
  agent?: string | null;
  /** The URL, or its path. */
  url: string;
};

/** The word of robots.txt on the page. */
export type RobotsSays = {
  /** `allows`, `forbids`, `not-asked` or `unknown`. */
  verdict: string;
  /** The deciding line, from 1. */
  line?: number | null;
  /** In words. */
  sentence: string;
};

/** A column. */
export type RowColumn = {
  /** Its name. */
  name: string;
  /** `text`, `number`, `price`, `date`, `link`, `image`, … */
  kind: string;
};

/** A row as it was after a run. */
export type RowVersion = {
  /** The run. */
  run: number;
  /** When it began. */
  started_at: string;
  /** What became of the row since the run before. */
  status: string;
  /** The page it is or was on. */
  page: string;
  /** Its fields, as they were; empty when it was not there. */
  cells: Record<string, unknown>;
  /** Fields that differ from the run before. */
  changed: string[];
};

/** A piece of the rows. */
export type RowsPage = {
  /** The rows: by column, and `_key` and `_page` in each. */
  items: Record<string, unknown>[];
  /** The cursor of the next piece; none when this was the last. */
  next?: string | null;
  /** The columns. */
  columns: RowColumn[];
  /** How many rows there are in all; none when nobody has counted those that meet the conditions. */
  total?: number | null;
  /** How many pages the rows lag behind: of a running crawl's many rows those of a moment ago are sorted and filtered. */
  behind: number;
};

/** Which rows. */
export type RowsRequest = {
  /** Of this project, or as they stood after the run of this number; of the project that ran last unless said. */
  of?: string | null;
  /** That meet all of these. */
  conditions?: string[];
  /** These columns; all fields if empty. */
  columns?: string[];
  /** Sorted by these, the first one first; in the order of the crawl if empty. */
  sort?: string[];
  /** At most so many. */
  limit?: number | null;
  /** Read as this page type. */
  page_type?: string | null;
  /** Of which this became since the run before; any if empty. */
  status?: string[];
  /** That came since: the `next` of an earlier answer. Without a sort order only. */
  after?: number | null;
};

/** Which run under way; the only one unless said. */
export type RunChoice = {
  /** Its number. */
  run?: number | null;
  /** Its project. */
  project?: string | null;
};

/** Where a run stands. */
export type RunPhase = "running" | "paused" | "stopping" | "completed" | "stopped" | "cancelled" | "failed";

/** A run. */
export type RunView = {
  /** Its number. */
  id: number;
  /** Its project's name. */
  project: string;
  /** Where it stands. */
  state: RunPhase;
  /** Why, where that is worth a word. */
  reason?: string | null;
  /** When it began. */
  started_at: string;
  /** When it ended; none while it runs, and when nobody saw it end. */
  ended_at?: string | null;
  /** The settings it began with. */
  settings: unknown;
  progress?: ProgressView | null;
  /** How it went, at its end. */
  summary?: unknown;
  /** How long it will still take, in seconds; a guess. */
  eta_seconds?: number | null;
  /** What the guess is reckoned from. */
  eta_basis?: string | null;
  /** Whether it is well. */
  health: Health;
};

/** A sample project. */
export type Sample = {
  id: string;
  title: string;
  text: string;
  /** Its project file. */
  yaml: string;
};

/** What a crawl would do. */
export type Scope = {
  /** In words. */
  sentence: string;
  /** Pages, as far as this page tells. */
  pages?: number | null;
  /** How long that takes at the pace asked for. */
  seconds?: number | null;
};

/** What to select. */
export type Select = {
  /** An expression of CSS. */
  css?: string | null;
  /** Or of XPath. */
  xpath?: string | null;
  /** Inside each of these rows: an expression that selects them. */
  within?: string | null;
};

/** A page and an expression. */
export type SelectAsked = PageGiven & ({
  /** An expression of CSS. */
  css?: string | null;
  /** Or of XPath. */
  xpath?: string | null;
  /** Or of either, as it looks. */
  expression?: string | null;
});

/** What was selected. */
export type Selection = {
  /** How many elements, or values of an expression that gives no elements. */
  count: number;
  /** The elements, in document order. */
  nodes: number[];
  /** The first values. */
  values: string[];
  /** Why the expression is refused. */
  error?: Record<string, unknown> | null;
};

/** A run's figures, as asked for. */
export type Series = {
  /** Seconds of one point. */
  step_seconds: number;
  /** When the first point begins; none when there is none. */
  from?: string | null;
  /** One number a point in each. */
  points: Points;
};

/** Who asks, and whom. */
export type Session = {
  /** Who is signed in. */
  user: string;
  /** To be sent as `x-gannet-csrf` with requests that change something; none for tokens, which need none. */
  csrf?: string | null;
  /** Version of the program. */
  version: string;
  /** Address of the bundled demo site. */
  demo?: string | null;
  /** The data directory. */
  data_dir: string;
  /** Whether the program has its web UI. */
  ui: boolean;
};

/** A chapter of settings. */
export type SettingGroup = {
  /** Its name. */
  name: string;
  /** What it is about. */
  help: string;
  /** The settings. */
  settings: SettingView[];
};

/** One setting. */
export type SettingView = {
  /** Its key: `max_pages`; with dots where keys lie in keys. */
  key: string;
  /** Its flag; none where there is none. */
  flag?: string | null;
  /** Its variable of the environment; none where there is none. */
  variable?: string | null;
  /** `switch`, `number`, `text`, `list`, `map`, `choice`, `time`, `size`, `rate`, `pattern`, `list of patterns`. */
  kind: string;
  /** What a number counts. */
  unit: string;
  /** How a value is written. */
  form: string;
  /** The value it has unless set. */
  default: unknown;
  /** What it does. */
  help: string;
  /** The values there are, where they are few. */
  choices?: string[] | null;
};

/** A passage that two texts have. */
export type SharedPassage = {
  /** Its letters and digits. */
  length: number;
  /** In the first text. */
  a: PassagePlace;
  /** In the second. */
  b: PassagePlace;
};

/** A crawl as a map. */
export type SiteMap = {
  /** Hosts, the largest first, and their folders. */
  hosts: Branch[];
  /** Pages by depth. */
  depths: Depth[];
  /** Its links. */
  links: LinkFigures;
  /** The pages that links make most important. */
  pages: MapPage[];
  /** Links between these pages, by their places in the list. */
  arcs: [number, number][];
};

/** Another speed, another order, another topic: what is not said stays. */
export type SpeedAsked = {
  /** `2/s`, `30/m` or `unlimited`. */
  rate?: string | null;
  /** Which URLs come first: as the setting `order`. */
  order?: string | null;
  /** What the crawl is about, in words: as the setting `topic`. */
  topic?: string[] | null;
  /** The same by texts: as the setting `topic_examples`. */
  topic_examples?: string[] | null;
  /** Write it into the project, too. */
  keep?: boolean;
};

/** A text. */
export type TextGiven = Cut & {
  /** It. */
  text: string;
};

/** Two texts. */
export type TextsGiven = Cut & {
  /** One. */
  a: string;
  /** The other. */
  b: string;
};

/** A token. */
export type Token = {
  /** Its number. */
  id: number;
  /** What people call it. */
  name: string;
  /** When it was made. */
  created: string;
  /** When it was last shown, within a minute. */
  last_used?: string | null;
  /** When it ends to be good. */
  expires?: string | null;
  /** The token itself, told once. */
  token?: string | null;
};

/** A page and a project. */
export type TryAsked = PageGiven & ProjectGiven;

/** How often the fields of a page type were found in a run. */
export type TypeCoverage = {
  /** The page type. */
  page_type: string;
  /** Pages with rows. */
  pages: number;
  /** Rows. */
  rows: number;
  /** Rows in which each field was found and understood. */
  found: Record<string, number>;
};

/** Pages and hosts to trust that a crawl does not know. */
export type UnknownTrusted = {
  /** How many. */
  count: number;
  /** Of so many that were named. */
  of: number;
  /** The first of them. */
  first: string[];
};

/** A URL. */
export type UrlAsked = {
  /** The URL. */
  url: string;
  /** The page that it stands on, if it is relative. */
  base?: string | null;
  drop_query?: boolean;
  drop_trailing_slash?: boolean;
  drop_www?: boolean;
};

/** What a crawl would take and bring, by what is known of its sites. */
export type WhatIf = {
  /** The order. */
  order: string;
  /** Requests per host, where a rate is set. */
  rate?: string | null;
  /** The words of the topic that pages are judged by, where it has one. */
  topic: string[];
  /** Pages that it fetches. */
  pages: number;
  /** URLs known to the crawl. */
  known: number;
  /** Seconds until it is done. */
  seconds: number;
  /** Requests that it sends. */
  requests: number;
  /** Bytes that it loads. */
  bytes: number;
  /** Of these pages, URLs that wait: taken for pages as large and slow as others of their host, without links. */
  unknown: number;
  /** Share of all PageRank that it gathers. */
  mass: number;
  /** Seconds until it has half, three quarters and nine tenths of that. */
  mass_after: number[];
  /** Pages on topic that it fetches; none where there is no topic. */
  on_topic?: number | null;
  /** Seconds until it has nine tenths of these. */
  on_topic_after?: number | null;
  /** In plain words. */
  words: string;
  /** What that is based on. */
  basis: string;
};

/** Another order, another pace, another topic. */
export type WhatIfAsked = {
  /** As the setting `order`; the project's own unless said. */
  order?: string | null;
  /** `2/s`; the project's own unless said. */
  rate?: string | null;
  /** Words and phrases that pages are judged by anew; the project's own unless said. */
  topic?: string[];
};

/** The paths of each method; a part in braces is any text. */
export interface Paths {
  POST:
    | `/ask`
    | `/check`
    | `/compare`
    | `/compare/all`
    | `/detect`
    | `/evaluate`
    | `/fingerprint`
    | `/indexes`
    | `/indexes/${string}/rebuild`
    | `/previews`
    | `/previews/${string}/generalise`
    | `/previews/${string}/list`
    | `/previews/${string}/read`
    | `/previews/${string}/select`
    | `/projects`
    | `/projects/${string}/accepted`
    | `/projects/${string}/meaning`
    | `/projects/${string}/runs`
    | `/projects/${string}/what-if`
    | `/projects/check`
    | `/projects/meaning`
    | `/read`
    | `/repair`
    | `/robots`
    | `/runs/${string}/cancel`
    | `/runs/${string}/exclude`
    | `/runs/${string}/pause`
    | `/runs/${string}/resume`
    | `/runs/${string}/retry`
    | `/runs/${string}/stop`
    | `/samples/${string}`
    | `/select`
    | `/simulations`
    | `/simulations/live`
    | `/sitemap`
    | `/tokens`
    | `/try`
    | `/url`;
  GET:
    | `/events`
    | `/indexes`
    | `/indexes/${string}`
    | `/indexes/${string}/cached`
    | `/indexes/${string}/ranking`
    | `/indexes/${string}/search`
    | `/indexes/${string}/similar`
    | `/indexes/${string}/suggest`
    | `/indexes/${string}/why-not`
    | `/pictures`
    | `/previews/${string}/asset`
    | `/previews/${string}/page`
    | `/previews/${string}/path`
    | `/projects`
    | `/projects/${string}`
    | `/projects/${string}/change`
    | `/projects/${string}/changes`
    | `/projects/${string}/coverage`
    | `/projects/${string}/diff`
    | `/projects/${string}/duplicates`
    | `/projects/${string}/export/${string}`
    | `/projects/${string}/file`
    | `/projects/${string}/graph`
    | `/projects/${string}/hosts`
    | `/projects/${string}/links`
    | `/projects/${string}/map`
    | `/projects/${string}/mirrors`
    | `/projects/${string}/outcomes`
    | `/projects/${string}/pages`
    | `/projects/${string}/rank`
    | `/projects/${string}/rows`
    | `/projects/${string}/rows/history`
    | `/projects/${string}/runs`
    | `/projects/${string}/shared`
    | `/projects/${string}/summary`
    | `/projects/${string}/version`
    | `/projects/${string}/versions`
    | `/projects/${string}/why`
    | `/runs`
    | `/runs/${string}`
    | `/runs/${string}/events`
    | `/runs/${string}/forecast`
    | `/runs/${string}/live`
    | `/runs/${string}/log`
    | `/runs/${string}/log/download`
    | `/runs/${string}/outlook`
    | `/runs/${string}/series`
    | `/samples`
    | `/session`
    | `/settings`
    | `/settings/index`
    | `/tokens`;
  PUT:
    | `/indexes/${string}`
    | `/projects/${string}`;
  DELETE:
    | `/indexes/${string}`
    | `/projects/${string}`
    | `/session`
    | `/tokens/${string}`;
  PATCH:
    | `/runs/${string}`;
}
