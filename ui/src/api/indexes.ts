// Indexes: what can be searched, and searching.
import { address, ask, get, part, post, type Items } from './client';

export interface IndexStatus {
  name: string;
  projects: string[];
  documents: number;
  segments: number;
  bytes: number;
  language: string | null;
  /** What it has not read yet. */
  behind: number;
}

/** What can be counted, ranged and sorted. */
export interface IndexColumn {
  name: string;
  kind: 'facet' | 'number' | 'date';
}

export interface IndexCard {
  name: string;
  projects: string[];
  settings: Record<string, unknown>;
  status: IndexStatus | null;
  columns?: IndexColumn[];
}

export interface Piece {
  text: string;
  marked: boolean;
}

export type FieldValue = { Text: string } | { Number: [number, string] } | { Date: [number, string] };

export interface Explanation {
  label: string;
  value: number;
  how?: 'sum' | 'product' | 'max' | 'value';
  children?: Explanation[];
}

export interface Hit {
  place: number;
  id: string;
  score: number;
  all_words: boolean;
  url: string;
  title: Piece[];
  author: string | null;
  /** In seconds since 1970. */
  date: number | null;
  image: string | null;
  passages: Piece[][];
  fields: [string, FieldValue][];
  pinned: boolean;
  more_of_site: boolean;
  near_duplicates: number;
  explanation: Explanation | null;
}

export interface FacetCounts {
  column: string;
  values: [string, number][];
  ends: [number, number] | null;
}

export interface Answer {
  total: number;
  with_all_words: number;
  hits: Hit[];
  next: string | null;
  facets: FacetCounts[];
  did_you_mean: string | null;
  also: [string, string[]][];
  ignored: string[];
}

export interface Cached {
  url: string;
  fetched: number;
  title: Piece[];
  text: Piece[][];
}

export interface Suggestion {
  text: string;
  weight: number;
  source?: string;
  synonym?: string | null;
}

/** Why a page is missing or low for a query. */
export interface WhyNot {
  url: string;
  query: string;
  chain: string[];
  place: number | null;
  advice: string | null;
}

export interface SearchRequest {
  q: string;
  like?: string;
  filter?: string[];
  facet?: string[];
  sort?: string;
  group?: string;
  explain?: number;
  cursor?: string | null;
  limit?: number;
}

const at = <R extends string = ''>(name: string, rest?: R) => `/indexes/${part(name)}${rest ?? ''}` as `/indexes/${string}${R}`;

export const indexes = (signal?: AbortSignal) => get<Items<IndexCard>>('/indexes', {}, signal);
export const index = async (name: string, signal?: AbortSignal): Promise<IndexCard & { etag: string | null }> => {
  const { data, etag } = await ask<IndexCard>('GET', at(name), { signal });
  return { ...data, etag };
};
export const makeIndex = (name: string, projects: string[], settings: Record<string, unknown>) => post<IndexCard>('/indexes', { name, projects, settings });
export const saveIndex = async (name: string, version: string | null, body: { projects: string[]; settings: Record<string, unknown> }) => {
  const { data, etag } = await ask<IndexCard>('PUT', at(name), { version, body });
  return { ...data, etag };
};
export const dropIndex = (name: string, version: string | null) => ask<null>('DELETE', at(name), { version });
export const rebuildIndex = (name: string) => post<unknown>(at(name, '/rebuild'));
export const search = ({ like, ...request }: SearchRequest, name: string, signal?: AbortSignal) =>
  like ? get<Answer>(at(name, '/similar'), { url: like, limit: request.limit }, signal) : get<Answer>(at(name, '/search'), { ...request }, signal);
export const suggest = (name: string, q: string, signal?: AbortSignal) => get<Items<Suggestion> | Suggestion[]>(at(name, '/suggest'), { q }, signal);
export const cached = (name: string, url: string, q: string, signal?: AbortSignal) => get<Cached>(at(name, '/cached'), { url, q }, signal);
export const whyNot = (name: string, url: string, q: string, signal?: AbortSignal) => get<WhyNot>(at(name, '/why-not'), { url, q }, signal);
/** Where the server shows a picture of a hit. */
export const pictureAddress = (url: string) => address('/pictures', { u: url });
