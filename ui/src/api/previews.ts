// Previews: one page fetched for the picker; matching is the crawl's own.
import { address, get, part, post, type Items } from './client';
import type { Kind, ProjectFile, NextFile } from './projects';

export interface RobotsFact {
  verdict: string;
  line: number | null;
  sentence: string;
}

export interface Failure {
  what: string;
  robots: RobotsFact | string | null;
  advice: string[];
}

export interface ListField {
  name: string;
  kind: Kind;
  css: string | null;
  xpath?: string | null;
  attr: string | null;
  found: number;
  examples: string[];
}

export interface List {
  index: number;
  name: string;
  rows: number;
  row_css: string;
  fields: ListField[];
  next: (NextFile & { css?: string }) | null;
  detail_field: string | null;
  nodes: number[];
}

export interface Coverage {
  field: string;
  found: number;
  rows: number;
  note: string | null;
}

export interface Reading {
  page_type: string | null;
  columns: { name: string; kind: Kind }[];
  rows: Record<string, unknown>[];
  coverage: Coverage[];
  links: unknown;
  scope_sentence: string | null;
}

export interface LinksFact {
  follow: number;
  skip: number;
  examples: { url: string; verdict: string }[];
}

export interface Preview {
  id: string;
  url: string;
  status: number | null;
  fetched_ms: number | null;
  bytes: number | null;
  robots: RobotsFact | null;
  redirects: string[] | null;
  thin: boolean | null;
  lists: List[] | null;
  project: ProjectFile | null;
  rows: Reading | null;
  scope_sentence: string | null;
  links: LinksFact | null;
  failure?: Failure | null;
}

export interface Selected {
  count: number;
  nodes: number[];
  values: string[];
  error: { message: string; position: number | { offset?: number } | null } | null;
}

export interface Generalised {
  css: string | null;
  xpath: string | null;
  count: number;
  nodes: number[];
  values: string[];
}

export interface Step {
  id: number;
  tag: string;
  label: string;
  css: string;
}

export interface ElementPath {
  items: Step[];
  children: Step[];
}

const at = (id: string) => `/previews/${part(id)}`;

export const makePreview = (body: { url: string; html?: string; project?: string }, signal?: AbortSignal) => post<Preview>('/previews', body, signal);
export const pageAddress = (id: string) => address(`${at(id)}/page`);
export const select = (id: string, body: { css?: string; xpath?: string; within?: string }, signal?: AbortSignal) => post<Selected>(`${at(id)}/select`, body, signal);
export const generalise = (id: string, body: { include: number[]; exclude: number[]; rows?: string; attr?: string }, signal?: AbortSignal) =>
  post<Generalised>(`${at(id)}/generalise`, body, signal);
export const rowsFrom = (id: string, body: { include: number[]; exclude: number[] }, signal?: AbortSignal) => post<List>(`${at(id)}/rows`, body, signal);
export const elementPath = async (id: string, node: number, signal?: AbortSignal): Promise<ElementPath> => {
  const answer = await get<ElementPath | Step[] | { path: Step[]; children: Step[] }>(`${at(id)}/path`, { node }, signal);
  if (Array.isArray(answer)) return { items: answer, children: [] };
  if ('path' in answer) return { items: answer.path, children: answer.children ?? [] };
  return { items: answer.items, children: answer.children ?? [] };
};
export const readWith = (id: string, project: ProjectFile, signal?: AbortSignal) => post<Reading>(`${at(id)}/read`, { project }, signal);
export type { Items };
