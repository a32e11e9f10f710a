// The router: the address bar is the state. Same-origin links are followed without loading a page;
// a page reads `route` and changes the query with `setQuery`.

/** Where we are. `query` is replaced as a whole on each change. */
export const route = $state({ path: location.pathname, query: new URLSearchParams(location.search) });

let leave: (() => boolean) | null = null;

/** Asks before this page is left: return false to stay. `null` takes the question back. */
export function guardLeaving(question: (() => boolean) | null): void {
  leave = question;
}

/** Goes to a path of this UI, with its query. */
export function go(to: string, options: { replace?: boolean } = {}): void {
  const url = new URL(to, location.href);
  const samePath = url.pathname === location.pathname;
  if (!samePath && leave && !leave()) return;
  if (options.replace) history.replaceState(null, '', url);
  else if (url.href !== location.href) history.pushState(null, '', url);
  read();
  if (!samePath) scrollTo(0, 0);
}

/** Changes keys of the query, keeping the others; null or '' removes a key. */
export function setQuery(changes: Record<string, string | null>, options: { push?: boolean } = {}): void {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ''), { replace: !options.push });
}

/** The current path with these keys of the query changed: for links. */
export function withQuery(changes: Record<string, string | null>): string {
  const query = new URLSearchParams(route.query);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null || value === '') query.delete(key);
    else query.set(key, value);
  }
  const text = query.toString();
  return route.path + (text ? `?${text}` : '');
}

/** Matches a pattern such as `/projects/:name/fields`: the decoded parameters, or null. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const wanted = pattern.split('/').filter(Boolean);
  const given = path.split('/').filter(Boolean);
  if (wanted.length !== given.length) return null;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = given[i] ?? '';
    if (part.startsWith(':')) {
      try {
        found[part.slice(1)] = decodeURIComponent(value);
      } catch {
        return null;
      }
    } else if (part !== value) return null;
  }
  return found;
}

/** Paths that the server answers itself. */
const SERVED = /^\/(api|s|signin)(\/|$|\?)/;

export function startRouter(): void {
  addEventListener('popstate', read);
  addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.('a');
    if (!link || link.target || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (SERVED.test(link.pathname)) return;
    if (link.hash && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    go(link.href);
  });
}

function read(): void {
  if (route.path !== location.pathname) {
    leave = null;
    route.path = location.pathname;
  }
  const query = new URLSearchParams(location.search);
  if (query.toString() !== route.query.toString()) route.query = query;
}
