// Every call of the UI is one that the server describes: each function is called once, and what it asks for is looked
// up in openapi.json.
import { assert, expect, test, vi } from 'vitest';
import { Problem } from './client';
import * as indexes from './indexes';
import * as pages from './pages';
import * as previews from './previews';
import * as projects from './projects';
import * as runs from './runs';
import * as session from './session';
import * as settings from './settings';
import * as simulations from './simulations';

type Description = { paths: Record<string, Record<string, unknown>> };

const [description] = Object.values(import.meta.glob<Description>('../../openapi.json', { eager: true, import: 'default' }));
/** What asks nothing. */
const HELPERS = new Set(['previews.textOf']);

test.skipIf(!description)('the server describes everything that is asked of it', async () => {
  const known = Object.entries(description?.paths ?? {}).flatMap(([path, ways]) => {
    const pattern = new RegExp(`^${path.replace(/^\/api\/v1(?=\/)/, '').replace(/\{[^}]+\}/g, '[^/]+')}$`);
    return Object.keys(ways).map((method) => ({ method: method.toUpperCase(), pattern }));
  });
  const asked: { method: string; path: string; from: string }[] = [];
  let from = '';
  const heard = (method: string, address: string) => asked.push({ method, path: address.replace(/^\/api\/v1/, '').replace(/\?.*$/, ''), from });
  vi.stubGlobal('fetch', async (address: string, options: { method?: string }) => {
    heard(options.method ?? 'GET', address);
    return new Response('{"items":[]}', { status: 200 });
  });
  for (const [module, exports] of Object.entries({ indexes, pages, previews, projects, runs, session, settings, simulations })) {
    for (const [name, call] of Object.entries(exports)) {
      if (typeof call !== 'function') continue;
      from = `${module}.${name}`;
      if (HELPERS.has(from)) continue;
      // Some refuse the answer that all get here: what they ask for is what counts.
      const refused = (error: unknown) => assert(error instanceof Problem, String(error));
      const answer: unknown = await Promise.resolve((call as (...args: unknown[]) => unknown)('x', 'pause', 'z', undefined)).catch(refused);
      // An address for the browser itself: a download, a frame, a stream of events.
      if (typeof answer === 'string' && answer.startsWith('/api/v1')) heard('GET', answer);
    }
  }
  vi.unstubAllGlobals();
  expect(asked.length).toBeGreaterThan(30);
  expect(asked.filter((one) => !known.some((way) => way.method === one.method && way.pattern.test(one.path)))).toEqual([]);
});
