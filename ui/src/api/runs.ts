// Runs: one execution of a project's crawl each.
import { address, ask, get, part, post, type Items } from './client';

export type RunState = 'running' | 'paused' | 'stopping' | 'completed' | 'stopped' | 'cancelled' | 'failed';

export interface Health {
  /** Shares of the last pages; together 1. */
  good: number;
  warn: number;
  bad: number;
  level: 'good' | 'warn' | 'bad';
  sentence: string;
  action: HealthAction | null;
}

export interface HealthAction {
  kind: 'exclude' | 'slow' | 'fields' | 'robots' | 'show' | 'none';
  label: string;
  pattern?: string | null;
  field?: string | null;
  outcome?: string | null;
}

export interface Progress {
  pages: number;
  pages_now: number;
  /** URLs that have their final outcome. */
  done: number;
  /** URLs that are to be fetched or were. */
  known: number;
  limit: number | null;
  bytes: number;
  bytes_now: number;
  rows: number;
  errors: number;
  /** URLs that failed for good. */
  failed?: number;
  /** URLs that are not fetched. */
  skipped?: number;
  /** When the next host may be asked, while none may. */
  next_due?: { at: string; host: string | null } | null;
  hosts_ready: number;
  hosts_resting: number;
  slots_busy: number;
  slots: number;
  requests_now: number;
  [key: string]: unknown;
}

export interface Spread {
  count: number;
  total: number;
  mean: number;
  p95: number;
  max: number;
}

export interface HostFigure {
  host: string;
  figure: number;
  requests: number;
}

export interface RowChanges {
  new: number;
  changed: number;
  gone: number;
  unchanged: number;
  unseen: number;
}

export interface TypeCoverage {
  page_type: string;
  pages: number;
  rows: number;
  found: Record<string, number>;
}

export interface Drift {
  page_type: string;
  field: string | null;
  rows: number;
  found: number;
  before_rows: number;
  before_found: number;
  since: string;
  proposal: string | null;
}

export interface Summary {
  project: string;
  links_found: number;
  urls_distinct: number;
  off_site: number;
  excluded: number;
  denied: number;
  pages_fetched: number;
  waiting: number;
  outcomes: Record<string, number>;
  statuses: Record<string, number>;
  requests: number;
  bytes: number;
  fetch_ms: Spread;
  page_bytes: Spread;
  errors: Record<string, number>;
  slowest_hosts: HostFigure[];
  failing_hosts: HostFigure[];
  running_ms: number;
  rows: number;
  duplicate_rows: number;
  pages_with_rows: number;
  row_changes?: RowChanges | null;
  coverage?: TypeCoverage[];
  drift?: Drift[];
}

export interface Run {
  id: number;
  project: string;
  state: RunState;
  reason: string | null;
  started_at: string;
  ended_at: string | null;
  settings?: Record<string, unknown> | null;
  progress: Progress | null;
  summary: Summary | null;
  eta_seconds: number | null;
  /** What the guess is reckoned from. */
  eta_basis: string | null;
  health: Health | null;
}

/** What is being fetched now. */
export interface LivePage {
  url: string;
  since_ms: number;
  host: string;
  depth: number;
  found_on: string | null;
  anchor: string | null;
  visibility: string | number | null;
  position: string | number | null;
  distance: string | number | null;
}

export interface Series {
  step_seconds: number;
  from: string | number | null;
  points: Record<string, (number | null)[]>;
}

export interface LogLine {
  seq: number;
  time: string;
  level: string;
  url: string | null;
  message: string;
}

export interface Excluded {
  waiting: number;
  examples: string[];
}

export type Steer = 'pause' | 'resume' | 'stop' | 'cancel';

export interface LogFilter {
  level?: string;
  url?: string;
  text?: string;
}

const at = <R extends string = ''>(id: string | number, rest?: R) => `/runs/${part(String(id))}${rest ?? ''}` as `/runs/${string}${R}`;

export const startRun = (project: string, how: { fresh?: boolean; only_failed?: boolean; refresh?: boolean } = {}) => post<Run>(`/projects/${part(project)}/runs`, how);
export const runs = (state?: string, signal?: AbortSignal) => get<Items<Run>>('/runs', { state, limit: 200 }, signal);
export const runsPage = (cursor: string | null, project?: string) =>
  get<Items<Run>>(project ? `/projects/${part(project)}/runs` : '/runs', { cursor, limit: 100 });
export const run = (id: string | number, signal?: AbortSignal) => get<Run>(at(id), {}, signal);
export const steer = (id: string | number, what: Steer) => post<Run>(at(id, `/${what}`));
/** What comes first, and what the crawl is about; what is not said stays. */
export interface OrderChange {
  order: string;
  topic?: string[];
  topic_examples?: string[];
  keep: boolean;
}
export const changeOrder = async (id: string | number, change: OrderChange) => (await ask<Run>('PATCH', at(id), { body: change })).data;
export const changeSpeed = async (id: string | number, rate: string, keep: boolean) => (await ask<Run>('PATCH', at(id), { body: { rate, keep } })).data;
export const exclude = (id: string | number, patterns: string[], dryRun: boolean, signal?: AbortSignal) =>
  post<Excluded>(at(id, '/exclude'), { patterns, dry_run: dryRun }, signal);
export const retryFailed = (id: string | number) => post<Run>(at(id, '/retry'));
export const livePages = (id: string | number, signal?: AbortSignal) => get<Items<LivePage>>(at(id, '/live'), {}, signal);
/** What the pages of a run are worth. */
export interface Outlook {
  hours: { hour: number; pages: number; mean: number }[];
  quarters: { discovered: number; fetched: number; on_topic: number }[];
  relevance: number[];
  relevance_blocks: number[];
}

/** How long the whole crawl takes. */
export interface Forecast {
  words: string | null;
  basis: string;
  pages: number;
  seconds: number;
  share: number;
  share_seconds: number;
}

export const outlook = (id: string | number, signal?: AbortSignal) => get<Outlook>(at(id, '/outlook'), {}, signal);
export const forecast = (id: string | number, signal?: AbortSignal) => get<Forecast>(at(id, '/forecast'), {}, signal);
export const series = (id: string | number, signal?: AbortSignal) => get<Series>(at(id, '/series'), {}, signal);
/** Lines after that of a cursor, `0` for the first; without a cursor the last ones. */
export const logPage = (id: string | number, filter: LogFilter, where: { cursor?: string; limit: number }, signal?: AbortSignal) =>
  get<Items<LogLine>>(at(id, '/log'), { ...filter, ...where }, signal);
export const logDownload = (id: string | number) => address(at(id, '/log/download'));
export const runEvents = (id: string | number) => address(at(id, '/events'));
