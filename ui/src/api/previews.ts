// Previews: one page fetched for the picker; matching is the crawl's own.
import { address, get, part, post, type Items } from './client';
import type { Kind, PageType, ProjectFile } from './projects';

/** An expression in its language. */
export type Expression = { css: string } | { xpath: string };

/** An expression as a project file has it: its language shows by its look. */
export const textOf = (expression: Expression): string => ('css' in expression ? expression.css : expression.xpath);

export interface RobotsFact {
  verdict: string;
  line: number | null;
  sentence: string;
}

export interface Failure {
  what: string;
  robots: RobotsFact | null;
  advice: string[];
}

export interface ListField {
  name: string;
  kind: Kind;
  selector: Expression;
  attribute: string | null;
  found: number;
  examples: string[];
}

export interface List {
  index: number;
  name: string;
  rows: number;
  row: Expression;
  fields: ListField[];
  next: Expression | null;
  detail_field: string | null;
  nodes: number[];
  /** The page types that read it, as in a project file. */
  template: Record<string, PageType>;
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
  cut: boolean;
  links: LinksFact;
  scope: { sentence: string; pages: number | null; seconds: number | null };
}

export interface LinksFact {
  follow: number;
  skip: number;
  examples: { url: string; follow: boolean; reason: string | null }[];
}

export interface Preview {
  /** None when the page could not be had. */
  id: string | null;
  url: string;
  status: number | null;
  fetched_ms: number | null;
  bytes: number | null;
  robots: RobotsFact | null;
  redirects: string[];
  thin: boolean;
  lists: List[];
  project: ProjectFile | null;
  reading: Reading | null;
  failure: Failure | null;
}

export interface Selected {
  count: number;
  nodes: number[];
  values: string[];
  error: { message: string; position: number | null } | null;
}

export interface Generalised {
  selector: Expression | null;
  count: number;
  nodes: number[];
  values: string[];
}

export interface Step {
  id: number;
  tag: string;
  /** Tag, id and classes. */
  label: string;
  text: string;
  relation: 'path' | 'child';
}

const at = (id: string): `/previews/${string}` => `/previews/${part(id)}`;

export const makePreview = (body: { url: string; html?: string; project?: string }, signal?: AbortSignal) => post<Preview>('/previews', body, signal);
export const pageAddress = (id: string) => address(`${at(id)}/page`);
export const select = (id: string, body: { css?: string; xpath?: string; within?: string }, signal?: AbortSignal) => post<Selected>(`${at(id)}/select`, body, signal);
export const generalise = (id: string, body: { include: number[]; exclude: number[]; rows?: string; attribute?: string }, signal?: AbortSignal) =>
  post<Generalised>(`${at(id)}/generalise`, body, signal);
export const rowsFrom = (id: string, body: { include: number[]; exclude: number[] }, signal?: AbortSignal) => post<List | null>(`${at(id)}/list`, body, signal);
export const elementPath = async (id: string, node: number, signal?: AbortSignal): Promise<Step[]> => {
  const answer = await get<Step[] | Items<Step>>(`${at(id)}/path`, { node }, signal);
  return Array.isArray(answer) ? answer : answer.items;
};
export const readWith = (id: string, project: ProjectFile, signal?: AbortSignal) => post<Reading>(`${at(id)}/read`, { project }, signal);
