// Made by `npm run api` from openapi.json; change the server, not this file.

/** How to begin. */
export type BeginRun = {
  /** Start over. */
  fresh?: boolean;
  /** Put URLs that failed back into the queue. */
  only_failed?: boolean;
};

/** A column. */
export type Column = {
  name: string;
  kind?: string | null;
};

/** A setting. */
export type Described = {
  /** Its key in a project file. */
  key: string;
  /** Its flag on the command line. */
  flag: string;
  /** Its variable in the environment. */
  variable: string;
  /** `switch`, `number`, `text`, `list` or `map`. */
  kind: string;
  /** How a value is written. */
  form: string;
  /** What a number counts. */
  unit: string;
  /** What it is unless set. */
  default: unknown;
  /** What it does. */
  help: string;
};

/** URLs to leave out. */
export type ExcludeAsked = {
  /** Patterns as in `exclude`. */
  patterns: string[];
  /** Only count. */
  dry_run?: boolean;
};

/** A chapter of settings. */
export type Group = {
  name: string;
  help: string;
  settings: Described[];
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
export type List_Value = {
  /** The items. */
  items: unknown[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
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

/** A place in a text. */
export type Position = {
  /** From 1. */
  line: number;
  /** From 1, in characters. */
  column: number;
  /** From 0, in bytes. */
  offset?: number | null;
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
  /** Every mistake of a project: line, column, path, message. */
  errors?: Record<string, unknown>[];
};

/** A project as text or as JSON. */
export type ProjectGiven = {
  /** The project's file. */
  yaml?: string | null;
  /** The same as JSON. */
  project?: unknown;
};

/** Settings in their chapters. */
export type Reference = {
  groups: Group[];
};

/** A page of rows. */
export type RowsPage = {
  /** Rows by column. */
  items: Record<string, unknown>[];
  /** The cursor of the next page; none at the end. */
  next?: string | null;
  columns: Column[];
  /** How many there are in all, where that is known. */
  total?: number | null;
};

/** A sample project. */
export type Sample = {
  id: string;
  title: string;
  text: string;
  /** Its project file. */
  yaml: string;
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

/** Another speed. */
export type SpeedAsked = {
  /** `2/s`, `30/m` or `unlimited`. */
  rate: string;
  /** Write it into the project, too. */
  keep?: boolean;
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

/** The paths of each method; a part in braces is any text. */
export interface Paths {
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
    | `/previews/${string}/asset`
    | `/previews/${string}/page`
    | `/previews/${string}/path`
    | `/projects`
    | `/projects/${string}`
    | `/projects/${string}/diff`
    | `/projects/${string}/export/${string}`
    | `/projects/${string}/file`
    | `/projects/${string}/hosts`
    | `/projects/${string}/links`
    | `/projects/${string}/outcomes`
    | `/projects/${string}/pages`
    | `/projects/${string}/rows`
    | `/projects/${string}/rows/history`
    | `/projects/${string}/runs`
    | `/projects/${string}/summary`
    | `/projects/${string}/why`
    | `/runs`
    | `/runs/${string}`
    | `/runs/${string}/events`
    | `/runs/${string}/live`
    | `/runs/${string}/log`
    | `/runs/${string}/log/download`
    | `/runs/${string}/series`
    | `/samples`
    | `/session`
    | `/settings`
    | `/settings/index`
    | `/tokens`;
  POST:
    | `/indexes`
    | `/indexes/${string}/rebuild`
    | `/previews`
    | `/previews/${string}/generalise`
    | `/previews/${string}/list`
    | `/previews/${string}/read`
    | `/previews/${string}/select`
    | `/projects`
    | `/projects/${string}/runs`
    | `/projects/check`
    | `/projects/meaning`
    | `/runs/${string}/cancel`
    | `/runs/${string}/exclude`
    | `/runs/${string}/pause`
    | `/runs/${string}/resume`
    | `/runs/${string}/retry`
    | `/runs/${string}/stop`
    | `/samples/${string}`
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
