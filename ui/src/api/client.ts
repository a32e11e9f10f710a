// One way to the server: JSON in and out, the CSRF token on unsafe methods, every failure a `Problem`.

import type { Paths } from './schema';

const BASE = '/api/v1';

/** Methods, and the paths that the server describes for them: another one does not compile. */
export type Method = keyof Paths;

/** A place in a file with its message, as the server's checks give it. */
export interface Mistake {
  line: number | null;
  column: number | null;
  path: string | null;
  message: string;
}

/** What went wrong, in words, with what to do (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly advice: string | null = null,
    readonly kind: string | null = null,
    readonly mistakes: Mistake[] = [],
    readonly position: { line: number; column: number; offset: number } | null = null,
    readonly body: Record<string, unknown> = {},
  ) {
    super(detail || title);
  }
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, 'Something broke in this page', error instanceof Error ? error.message : String(error), 'Load the page again.');
}

let csrf = '';

/** Set once, from the session. */
export function useCsrf(token: string): void {
  csrf = token;
}

let onSignedOut: () => void = () => {};

/** Called when the server says that nobody is signed in. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler;
}

export type Query = Record<string, string | number | boolean | string[] | null | undefined>;

/** The address of an API path: for downloads, frames and event streams. */
export function address(path: Paths[Method], query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === '') continue;
    if (Array.isArray(value)) for (const one of value) search.append(key, one);
    else search.set(key, String(value));
  }
  const text = search.toString();
  return BASE + path + (text ? `?${text}` : '');
}

export interface Options {
  query?: Query;
  body?: unknown;
  /** The version that is edited: sent as If-Match. */
  version?: string | number | null;
  signal?: AbortSignal;
}

export interface Answer<T> {
  data: T;
  etag: string | null;
}

/** Asks and gives the answer with its version. */
export async function ask<T, M extends Method = Method>(method: M, path: Paths[M], options: Options = {}): Promise<Answer<T>> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  if (method !== 'GET') headers['x-gannet-csrf'] = csrf;
  if (options.version !== undefined && options.version !== null) {
    const version = String(options.version);
    headers['if-match'] = version.includes('"') ? version : `"${version}"`;
  }
  let answer: Response;
  try {
    answer = await fetch(address(path, options.query), {
      method,
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Problem(0, 'The server does not answer', 'No connection to gannet serve.', 'See whether it still runs in its terminal; this page goes on when it answers.');
  }
  if (!answer.ok) throw await read(answer);
  const data = answer.status === 204 ? null : await parsed(answer);
  return { data: data as T, etag: answer.headers.get('etag') };
}

async function parsed(answer: Response): Promise<unknown> {
  const text = await answer.text();
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem(answer.status, 'The answer is not understood', 'The server answered with something that is no JSON.', 'Load the page again; if it stays, look at the log of gannet serve.');
  }
}

async function read(answer: Response): Promise<Problem> {
  let body: Record<string, unknown> = {};
  try {
    body = (await answer.json()) as Record<string, unknown>;
  } catch {
    // Not a problem document: the status has to do.
  }
  if (answer.status === 401) onSignedOut();
  const text = (key: string) => (typeof body[key] === 'string' ? (body[key] as string) : null);
  return new Problem(
    answer.status,
    text('title') ?? `The server answered ${answer.status}`,
    text('detail') ?? '',
    text('do'),
    text('type'),
    Array.isArray(body.errors) ? (body.errors as Mistake[]) : [],
    (body.position as Problem['position']) ?? null,
    body,
  );
}

export const get = async <T>(path: Paths['GET'], query?: Query, signal?: AbortSignal): Promise<T> => (await ask<T>('GET', path, { query, signal })).data;
export const post = async <T>(path: Paths['POST'], body: unknown = {}, signal?: AbortSignal): Promise<T> => (await ask<T>('POST', path, { body, signal })).data;
export const del = async <T>(path: Paths['DELETE'], version?: string | number | null): Promise<T> => (await ask<T>('DELETE', path, { version })).data;

/** Asks for lines of JSON and tells each as it comes. */
export async function lines<T>(path: Paths['POST'], body: unknown, each: (line: T) => void, signal?: AbortSignal): Promise<void> {
  let answer: Response;
  try {
    answer = await fetch(address(path), {
      method: 'POST',
      headers: { accept: 'application/x-ndjson', 'content-type': 'application/json', 'x-gannet-csrf': csrf },
      body: JSON.stringify(body),
      signal,
      credentials: 'same-origin',
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, 'The server does not answer', 'No connection to gannet serve.', 'See whether it still runs in its terminal; this page goes on when it answers.');
  }
  if (!answer.ok) throw await read(answer);
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    const parts = (rest + piece.value).split('\n');
    rest = parts.pop() ?? '';
    for (const line of parts) if (line) each(JSON.parse(line) as T);
  }
}

/** A part of a path. */
export const part = encodeURIComponent;

/** A page of a list. */
export interface Items<T> {
  items: T[];
  next: string | null;
}
