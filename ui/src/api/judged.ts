// What the judge found: pages that say the same, and what changed between versions of a page.
import { get, part, type Items } from './client';

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

export interface PageChange {
  url: string;
  before: string;
  after: string;
  versions: number;
  level: string;
  severity: string;
  severity_since_first: string;
  noise: boolean;
  words_added: number;
  words_removed: number;
  details?: {
    words: { added: boolean; words: string; at: number }[];
    levels: { level: number; elements: number[]; edited: string[]; added: string[]; removed: string[] }[];
    attributes: string[];
    images: ChangedImage[];
    noise_places: string[];
    text_before: string;
    text_after: string;
  };
}

export interface PageVersion {
  url: string;
  at: string;
  title: string | null;
  content_type: string | null;
  bytes: number;
}

const at = <R extends string>(project: string, rest: R) => `/projects/${part(project)}${rest}` as `/projects/${string}${R}`;

export const duplicates = (project: string, signal?: AbortSignal) =>
  get<Items<DuplicateGroup>>(at(project, '/duplicates'), { limit: 200 }, signal);
export const shared = (project: string, first: string, second: string, signal?: AbortSignal) =>
  get<SharedPassages>(at(project, '/shared'), { first, second }, signal);
export const changes = (project: string, noise: boolean, signal?: AbortSignal) =>
  get<Items<PageChange>>(at(project, '/changes'), { noise, limit: 500 }, signal);
export const change = (project: string, url: string, from: string, to: string, signal?: AbortSignal) =>
  get<PageChange>(at(project, '/change'), { url, from, to }, signal);
export const versions = (project: string, url: string, signal?: AbortSignal) =>
  get<Items<PageVersion>>(at(project, '/versions'), { url }, signal);
