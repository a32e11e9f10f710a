// What the judge found: pages that say the same, and what changed between versions of a page.
import { get, part, post, type Items } from './client';

export interface DuplicateGroup {
  chosen: string;
  exact: boolean;
  pages: number;
  members: { url: string; similarity: number | null; rank: number | null }[];
}

export interface SharedPassages {
  first: string;
  second: string;
  similarity: number;
  share: number;
  passages: { first_at: number; first: string; second_at: number; second: string }[];
  left_out: number;
}

export interface ChangedImage {
  url: string;
  became: string;
  numbers: (string | null)[];
  hashes: (string | null)[];
  distance: number | null;
  pictures: (string | null)[];
}

export interface NoisePlace {
  place: string;
  before: string;
  after: string;
}

export interface PageChange {
  url: string;
  before: string;
  after: string;
  versions: number;
  level: string;
  severity: string;
  severity_since_first: string;
  accepted?: string | null;
  severity_since_accepted?: string | null;
  noise: boolean;
  words_added: number;
  words_removed: number;
  noise_places?: NoisePlace[];
  details?: {
    words: { added: boolean; words: string; at: number }[];
    levels: { level: number; elements: number[]; edited: string[]; added: string[]; removed: string[] }[];
    attributes: string[];
    images: ChangedImage[];
    text_before: string;
    text_after: string;
  };
}

export type ChangesRow =
  | ({ row: 'change' } & PageChange)
  | { row: 'gone'; url: string; status: number; first: string; last: string; words: string }
  | { row: 'moved'; url: string; to: string; at: string };

export interface PageVersion {
  url: string;
  at: string;
  title: string | null;
  content_type: string | null;
  bytes: number;
  accepted: boolean;
  text?: string;
  /** Its bytes in Base64. */
  raw?: string | null;
}

const at = <R extends string>(project: string, rest: R) => `/projects/${part(project)}${rest}` as `/projects/${string}${R}`;

export const duplicates = (project: string, cursor: string | undefined, signal?: AbortSignal) =>
  get<Items<DuplicateGroup>>(at(project, '/duplicates'), { limit: 200, cursor }, signal);
export const shared = (project: string, first: string, second: string, signal?: AbortSignal) =>
  get<SharedPassages>(at(project, '/shared'), { first, second }, signal);
export const changes = (project: string, noise: boolean, cursor: string | undefined, signal?: AbortSignal) =>
  get<Items<ChangesRow>>(at(project, '/changes'), { noise, limit: 500, cursor }, signal);
export const change = (project: string, url: string, from: string | undefined, to: string | undefined, signal?: AbortSignal) =>
  get<PageChange>(at(project, '/change'), { url, from, to }, signal);
export const versions = (project: string, url: string, signal?: AbortSignal) =>
  get<Items<PageVersion>>(at(project, '/versions'), { url }, signal);
export const version = (project: string, url: string, when: string, signal?: AbortSignal) =>
  get<PageVersion>(at(project, '/version'), { url, at: when }, signal);
export const versionBytes = (project: string, url: string, when: string) =>
  get<PageVersion>(at(project, '/version'), { url, at: when, raw: true });
export const accept = (project: string, url: string, when: string) =>
  post<{ url: string; version: string; at: string }>(at(project, '/accepted'), { url, at: when });
