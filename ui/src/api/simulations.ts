// Orders compared under a simulated clock, what another order would bring, and the crawl as a map.
import { get, lines, part, post, Problem } from './client';

export interface Point {
  pages: number;
  seconds: number;
  mass: number;
  relevant: number;
}

export interface Outcome {
  order: string;
  seed: number | null;
  pages: number;
  /** Pages of the Web, fetched or not. */
  known: number;
  /** Share of all PageRank in the first tenth, quarter, half, and in all. */
  mass: [number, number, number, number];
  relevant: [number, number, number, number] | null;
  seconds: number;
  pages_per_second: number | null;
  /** Share of the pages that are at the end as they were fetched; null where none changes. */
  fresh: number | null;
  hourly: [number, number][];
  load: number[];
  curve: Point[];
}

/** A mean, and how far the Webs lie apart. */
export type Spread = [number, number];

export interface Mean {
  order: string;
  webs: number;
  mass: [Spread, Spread, Spread, Spread];
  relevant: [Spread, Spread, Spread, Spread] | null;
  fresh: Spread | null;
  seconds: Spread;
  /** Pages in a simulated second; null where it took no time. */
  pages_per_second: Spread | null;
  pages: Spread;
}

export interface Simulated {
  outcomes: Outcome[];
  means: Mean[];
  verdict: string;
  plots: { name: string; svg: string }[];
  table_csv: string;
  curves_csv: string;
}

export interface Scenario {
  web: { generated: { pages: number; hosts: number; links: number; skew: number; topic: number; failures: number; changes: number; slowest: string } } | { crawl: string };
  orders: string[];
  seeds: number[];
  pages: number;
  /** Simulated time to crawl, as `2h`; `0` until the end. */
  time: string;
  /** Requests per host; null for the pauses of a crawl. */
  rate: string | null;
  workers: number;
  latency: string;
  queue: number;
  expand: 'all' | 'relevant';
  /** Words, for a crawl in place of its own. */
  topic: string[];
}

export interface WhatIf {
  order: string;
  rate: string | null;
  pages: number;
  seconds: number;
  words: string;
  basis: string;
}

export interface Branch {
  name: string;
  pages: number;
  waiting: number;
  failed: number;
  other: number;
  branches: Branch[];
}

export interface MapPage {
  url: string;
  title: string | null;
  rank: number;
  depth: number;
  outcome: string;
  path: string[];
}

export interface SiteMap {
  hosts: Branch[];
  depths: { depth: number; pages: number; urls: number }[];
  links: { links: number; outward: number; unfollowed: number; broken: number; moved: number; dead_ends: number };
  pages: MapPage[];
  arcs: [number, number][];
}

/** Simulates, and tells how far each order is meanwhile. */
export async function simulate(scenario: Scenario, each: (outcome: Outcome) => void, signal?: AbortSignal): Promise<Simulated> {
  let told: Simulated | null = null;
  let wrong: string | null = null;
  const take = (line: { outcome?: Outcome; simulated?: Simulated; error?: string }) => {
    if (line.outcome) each(line.outcome);
    told = line.simulated ?? told;
    wrong = line.error ?? wrong;
  };
  await lines('/simulations/live', scenario, take, signal);
  if (!told) throw new Problem(400, 'The simulation failed', wrong ?? 'It was cut off.', 'Change what is wrong and try again.');
  return told;
}
/** What is not said is as in the project. */
export const whatIf = (project: string, asked: { order?: string | null; rate?: string | null; topic?: string[] }, signal?: AbortSignal) =>
  post<WhatIf>(`/projects/${part(project)}/what-if`, asked, signal);
export const siteMap = (project: string, signal?: AbortSignal) => get<SiteMap>(`/projects/${part(project)}/map`, {}, signal);
