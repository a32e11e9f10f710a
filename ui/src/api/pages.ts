// What a crawl has met and kept: pages with their outcomes, rows, links, and why.
import { address, get, part, type Items, type Query } from './client';

export const OUTCOMES = [
  'fetched', 'not-modified', 'redirected', 'disallowed', 'excluded', 'off-site', 'over-limit', 'trap', 'unwanted', 'failed', 'retrying', 'waiting', 'gone',
] as const;

export interface PageRow {
  url: string;
  outcome: string;
  words: string;
  status: number | null;
  depth: number;
  found_at: string;
  fetched_at: string | null;
  millis: number | null;
  bytes: number | null;
  content_type: string | null;
  title: string | null;
  via: string | null;
  tries: number;
  due: string | null;
  /** Rows read from it, where the server tells. */
  rows?: number | null;
}

export interface Why {
  asked: string;
  url: string;
  canonicalised: string[];
  project: string;
  known: boolean;
  words: string;
  outcome: string | null;
  depth: number | null;
  found_at: string | null;
  path: { url: string; how: string; anchor: string | null }[];
  steps_left_out: number;
  rules: { rule: string; passes: boolean; refusal: string | null }[];
  robots: {
    allowed: boolean | null;
    words: string;
    line: number | null;
    text: string | null;
    read_at: string | null;
    crawl_delay_ms: number | null;
  };
  hints: string | null;
  due: { at: string; because: string; priority: number; arrival: number; ahead: number | null } | null;
  duplicate: string | null;
  change: string | null;
  change_steps: { step: string; before: string; after: string; differs: boolean }[];
  revisit: string | null;
  fetches: { at: string; status: number | null; error: string | null; millis: number; bytes: number; archived: string | null }[];
}

export interface Column {
  name: string;
  kind: string;
}

export type Row = Record<string, unknown>;

export interface Rows extends Items<Row> {
  columns: Column[];
  total: number | null;
  /** Pages of a running crawl whose rows are not among these yet. */
  behind: number;
}

export type LinkRow =
  | { list: 'broken'; target: string; outcome: string; source: string | null; anchor: string }
  | { list: 'redirects'; chain: string[]; end: string; circle: boolean }
  | { list: 'orphans'; url: string; known: string }
  | { list: 'slow'; url: string; millis: number; bytes: number }
  | { list: 'counts'; broken_targets?: number; broken_links?: number; redirect_chains?: number; orphans?: number; timed_pages?: number };

export interface PagesFilter {
  outcome?: string;
  host?: string;
  prefix?: string;
}

export interface RowsFilter {
  filter?: string[];
  sort?: string;
  columns?: string;
  page_type?: string;
  run?: string;
  changes?: string;
}

const at = <R extends string = ''>(name: string, rest?: R) => `/projects/${part(name)}${rest ?? ''}` as `/projects/${string}${R}`;

export const pages = (project: string, filter: PagesFilter, cursor: string | null, limit = 100, signal?: AbortSignal) =>
  get<Items<PageRow>>(at(project, '/pages'), { ...filter, cursor, limit }, signal);
export const outcomes = (project: string, signal?: AbortSignal) => get<Record<string, number>>(at(project, '/outcomes'), {}, signal);
export const why = (project: string, url: string, signal?: AbortSignal) => get<Why>(at(project, '/why'), { url }, signal);
export const links = (project: string, list: string, signal?: AbortSignal) =>
  get<Items<LinkRow> | LinkRow[]>(at(project, '/links'), { list, limit: 1000 }, signal);
export const rows = (project: string, filter: RowsFilter, cursor: string | null, limit = 100, signal?: AbortSignal) =>
  get<Rows>(at(project, '/rows'), { ...filter, cursor, limit }, signal);
export const rowHistory = (project: string, key: string, signal?: AbortSignal) => get<unknown>(at(project, '/rows/history'), { key }, signal);
export const exportAddress = (project: string, file: string, filter: Query = {}) => address(at(project, `/export/${file}`), filter);
export const projectFileAddress = (project: string) => address(at(project, '/file'));
