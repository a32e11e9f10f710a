// Projects: what a person works on; one YAML file each.
import { ask, get, part, post, type Items, type Mistake } from './client';
import type { HealthAction, Run } from './runs';

export interface Attention {
  level: 'info' | 'warn' | 'error';
  text: string;
  action?: HealthAction | null;
}

export interface ProjectCard {
  name: string;
  start: string[];
  created: string;
  pages: number;
  rows: number;
  last_run: Run | null;
  attention: Attention[];
}

/** A project's file as JSON, key for key. */
export interface ProjectFile {
  version?: number;
  project: string;
  start: string[];
  crawl?: Record<string, unknown>;
  fields?: Record<string, PageType>;
  index?: Record<string, unknown>;
  [key: string]: unknown;
}

/** One page type: its rows, fields and further pages. */
export interface PageType {
  url?: string | string[];
  has?: string;
  rows?: string;
  key?: string | string[];
  read?: Record<string, string | FieldFile>;
  next?: string | NextFile;
  links?: string[];
  locale?: string;
  [key: string]: unknown;
}

export interface NextFile {
  link?: string;
  numbers?: string;
  url?: string;
  to?: number;
}

export type Kind = 'text' | 'number' | 'price' | 'date' | 'link' | 'image' | 'html' | 'json';

export interface FieldFile {
  css?: string;
  xpath?: string;
  header?: string;
  json_ld?: string;
  microdata?: string;
  meta?: string;
  json?: unknown;
  attribute?: string;
  kind?: Kind;
  follow?: string | { page: string; as: string };
  all?: boolean;
  required?: boolean;
  [key: string]: unknown;
}

export interface Project {
  name: string;
  project: ProjectFile;
  yaml: string;
  version: string | number;
  summary: Record<string, unknown> | null;
  attention: Attention[];
  last_run: Run | null;
}

export interface Checked {
  project: ProjectFile | null;
  yaml?: string | null;
  errors: Mistake[];
}

export interface Meaning {
  sentences: string[];
  scope_sentence: string;
  pages_estimate: number | null;
  seconds_estimate: number | null;
}

export interface Sample {
  id: string;
  title: string;
  text: string;
  yaml: string;
}

export const projects = (signal?: AbortSignal) => get<Items<ProjectCard>>('/projects', { limit: 1000 }, signal);
export const project = async (name: string, signal?: AbortSignal): Promise<Project & { etag: string | null }> => {
  const { data, etag } = await ask<Project>('GET', `/projects/${part(name)}`, { signal });
  return { ...data, etag };
};
export const makeProject = (body: { yaml: string } | { project: ProjectFile }) => post<Project>('/projects', body);
export const saveProject = async (name: string, version: string | number | null, body: { yaml: string } | { project: ProjectFile }) => {
  const { data, etag } = await ask<Project>('PUT', `/projects/${part(name)}`, { body, version });
  return { ...data, etag };
};
export const dropProject = (name: string, version: string | number | null, keepArchive: boolean) =>
  ask<null>('DELETE', `/projects/${part(name)}`, { version, query: keepArchive ? { keep: 'archive' } : {} });
export const checkYaml = (yaml: string, signal?: AbortSignal) => post<Checked>('/projects/check', { yaml }, signal);
export const checkProject = (project: ProjectFile, signal?: AbortSignal) => post<Checked>('/projects/check', { project }, signal);
export const meaningOf = (project: ProjectFile, signal?: AbortSignal) => post<Meaning>('/projects/meaning', { project }, signal);
export const samples = () => get<Items<Sample>>('/samples');
export const takeSample = (id: string) => post<Project>(`/samples/${part(id)}`);
