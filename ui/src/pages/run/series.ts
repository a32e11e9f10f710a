// The figures of a run over time, as columns that a chart draws.

import type { Series } from '../../api/runs';
import { compact, duration } from '../../lib/format';

/** Times in seconds since 1970, then one column for each line. */
export type ChartData = [number[], ...(number | null)[][]];

export interface Lines {
  data: ChartData;
  /** Seconds between two points. */
  step: number;
}

/** Lines of a series: counts become a rate per second where `perSecond` says so. */
export function lines(series: Series, names: string[], perSecond = false): Lines {
  const step = Math.max(series.step_seconds, 0.001);
  const from = typeof series.from === 'number' ? series.from : Date.parse(series.from ?? '') / 1000;
  const columns = names.map((name) => series.points[name] ?? []);
  const length = Math.max(0, ...columns.map((column) => column.length));
  const times = Array.from({ length }, (_, at) => from + at * step);
  const values = columns.map((column) =>
    times.map((_, at) => {
      const value = column[at] ?? null;
      return value === null ? null : perSecond ? value / step : value;
    }),
  );
  return { data: [times, ...values], step };
}

/** The same with each line standing on the ones before it, the topmost first: what stacked areas need. */
export function stacked(data: ChartData): ChartData {
  const [times, ...columns] = data;
  const sums = new Array<number>(times.length).fill(0);
  const raised = columns.map((column) => column.map((value, at) => (sums[at] += value ?? 0)));
  return [times, ...raised.reverse()];
}

/** Steps between the marks of an axis that counts whole things. */
export const WHOLE: number[] = [1, 2, 5].flatMap((digit) => Array.from({ length: 10 }, (_, power) => digit * 10 ** power)).sort((a, b) => a - b);

/** `0.5 ms`, `12 ms`, `1.5 s`: neighbouring marks of an axis never read the same. */
export function millis(value: number): string {
  return value < 10 ? `${Number(value.toFixed(1))} ms` : duration(value / 1000);
}

/** `0.5`, `12`, `1.2K`, as millis(). */
export function perSecond(value: number): string {
  return value < 10 ? String(Number(value.toFixed(1))) : compact(Math.round(value));
}

/** The latest value of a line that is known. */
export function latest(column: (number | null)[]): number | null {
  for (let at = column.length - 1; at >= 0; at--) {
    const value = column[at];
    if (value !== null && value !== undefined) return value;
  }
  return null;
}
