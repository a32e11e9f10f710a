// Which page stands at which path. Pages are loaded when they are first opened.
import type { Component } from 'svelte';
import { match } from './lib/router.svelte';

// Pages without parameters take none.
export type Page = Component<any>;
type Load = () => Promise<{ default: Page }>;

const project: Load = () => import('./pages/project/Project.svelte');

const table: [pattern: string, section: string, load: Load][] = [
  ['/', 'home', () => import('./pages/home/Home.svelte')],
  ['/new', 'new', () => import('./pages/new/New.svelte')],
  ['/projects', 'projects', () => import('./pages/projects/Projects.svelte')],
  ['/projects/:name', 'projects', project],
  ['/projects/:name/:tab', 'projects', project],
  ['/runs', 'runs', () => import('./pages/runs/Runs.svelte')],
  ['/runs/:id', 'runs', () => import('./pages/run/Run.svelte')],
  ['/search', 'search', () => import('./pages/search/Indexes.svelte')],
  ['/search/:index', 'search', () => import('./pages/search/Search.svelte')],
  ['/simulator', 'simulator', () => import('./pages/simulator/Simulator.svelte')],
  ['/settings', 'settings', () => import('./pages/settings/Settings.svelte')],
  ['/help', 'help', () => import('./pages/help/Help.svelte')],
  ['/help/:page', 'help', () => import('./pages/help/Help.svelte')],
];

export interface Found {
  section: string;
  load: Load;
  params: Record<string, string>;
}

export function find(path: string): Found | null {
  for (const [pattern, section, load] of table) {
    const params = match(pattern, path);
    if (params) return { section, load, params };
  }
  return null;
}
