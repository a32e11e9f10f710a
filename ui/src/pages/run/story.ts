// A run in words and figures: what its page says of it. Texts themselves stand in texts.ts.

import type { Run, RunState, TypeCoverage } from '../../api/runs';

/** True while the run may still fetch something. */
export function isOpen(run: Run): boolean {
  return run.state === 'running' || run.state === 'paused' || run.state === 'stopping';
}

export interface Bar {
  done: number;
  /** Known URLs, or the limit where that is nearer. */
  of: number;
  /** From 0 to 1. */
  share: number;
  /** The limit cuts off known URLs. */
  limited: boolean;
}

/** The bar: done of what is known, or of the limit if that comes first. */
export function bar(run: Run): Bar {
  const progress = run.progress;
  if (!progress) {
    const done = run.summary?.pages_fetched ?? 0;
    const of = done + (run.summary?.waiting ?? 0);
    return { done, of, share: of > 0 ? done / of : isOpen(run) ? 0 : 1, limited: false };
  }
  const limit = progress.limit && progress.limit > 0 ? progress.limit : null;
  const limited = limit !== null && limit < progress.known;
  const done = limited ? progress.pages : progress.done;
  const of = limited ? limit : progress.known;
  const share = of > 0 ? Math.min(done / of, 1) : isOpen(run) ? 0 : 1;
  return { done, of, share, limited };
}

export interface Figures {
  pages: number;
  rows: number;
  added: number | null;
  changed: number | null;
  failed: number;
  skipped: number;
}

/** The six numbers; `outcomes` are those of the project now. Of a cancelled run nothing is left. */
export function figures(run: Run, outcomes: Record<string, number> | null = null): Figures {
  if (run.state === 'cancelled') return { pages: 0, rows: 0, added: 0, changed: 0, failed: 0, skipped: 0 };
  const summary = run.summary;
  const progress = run.progress;
  const counts = isOpen(run) ? (outcomes ?? summary?.outcomes) : (summary?.outcomes ?? outcomes);
  const sum = (...names: string[]) => names.reduce((total, name) => total + (counts?.[name] ?? 0), 0);
  return {
    pages: isOpen(run) ? (progress?.pages ?? summary?.pages_fetched ?? 0) : (summary?.pages_fetched ?? progress?.pages ?? 0),
    rows: isOpen(run) ? (progress?.rows ?? summary?.rows ?? 0) : (summary?.rows ?? progress?.rows ?? 0),
    added: summary?.row_changes?.new ?? null,
    changed: summary?.row_changes?.changed ?? null,
    failed: (isOpen(run) ? progress?.failed : undefined) ?? (counts ? sum('failed') : (progress?.errors ?? 0)),
    skipped: (isOpen(run) ? progress?.skipped : undefined) ?? sum('disallowed', 'excluded', 'off-site', 'over-limit', 'trap', 'unwanted'),
  };
}

/** The field that is found least often, with the share of rows that have it; null without rows. */
export function leastFull(coverage: TypeCoverage[]): { field: string; share: number } | null {
  const shares = coverage
    .filter((type) => type.rows > 0)
    .flatMap((type) => Object.entries(type.found).map(([field, found]) => ({ field, share: found / type.rows })));
  return shares.sort((a, b) => a.share - b.share)[0] ?? null;
}

/** The short form of the charts, for a run that was over before a line could be drawn: figures per second. */
export function rates(run: Run, now: number): { pages: number; rows: number; seconds: number } | null {
  const took = seconds(run, now);
  const { pages, rows } = figures(run);
  return pages > 0 && took > 0 ? { pages: pages / took, rows: rows / took, seconds: took } : null;
}

/** Seconds that a run has taken so far. */
export function seconds(run: Run, now: number): number {
  const from = Date.parse(run.started_at);
  const to = run.ended_at ? Date.parse(run.ended_at) : now;
  return Math.max((to - from) / 1000, 0);
}

/** Which buttons a run has. */
export function buttons(state: RunState): { pause: boolean; resume: boolean; stop: boolean; cancel: boolean; again: boolean } {
  const open = state === 'running' || state === 'paused';
  return {
    pause: state === 'running',
    resume: state === 'paused',
    stop: open,
    cancel: open || state === 'stopping',
    again: !open && state !== 'stopping',
  };
}

/** How a project is crawled again: what waits is gone on with; where nothing does, its pages are asked for anew. */
export function howAgain(last: Run | null): { refresh?: boolean } {
  return last?.state === 'completed' && (last.summary?.waiting ?? 0) === 0 ? { refresh: true } : {};
}

/** A text that a shell takes as one word. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The command that starts the same crawl; `file` is the project's file as it is downloaded. */
export function asCommand(project: string): string {
  return `gannet crawl -p ${shellWord(`${project}.yaml`)}`;
}

/** The request that starts the same crawl. */
export function asCurl(project: string, origin: string): string {
  const address = `${origin}/api/v1/projects/${encodeURIComponent(project)}/runs`;
  return [
    `curl -X POST ${shellWord(address)}`,
    // In double quotes: the shell puts the token in.
    `  -H "Authorization: Bearer $GANNET_TOKEN"`,
    `  -H 'Content-Type: application/json' -d '{}'`,
  ].join(" \\\n");
}

/** How an outcome is coloured. */
export function outcomeKind(outcome: string): 'good' | 'warn' | 'bad' | 'accent' | 'plain' {
  if (outcome === 'fetched' || outcome === 'not-modified') return 'good';
  if (outcome === 'failed') return 'bad';
  if (outcome === 'retrying' || outcome === 'trap') return 'warn';
  return outcome === 'waiting' ? 'accent' : 'plain';
}
