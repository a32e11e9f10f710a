// What a row was in earlier runs, as the history of the server tells it.

import type { Row } from '../../api/pages';
import { moment } from '../../lib/format';
import { cellText } from './rows';

export interface Version {
  label: string;
  mark: string;
  changes: { field: string; before: string; after: string }[];
}

/** The key by which a row is asked for; null where the server gives none. */
export function keyOf(row: Row): string | null {
  const key = row._key ?? row['@key'];
  return typeof key === 'string' || typeof key === 'number' ? String(key) : null;
}

/** The versions of a row, the latest first, each with what differs from the one before. */
export function versions(answer: unknown): Version[] {
  const items = Array.isArray(answer) ? answer : ((answer as { items?: unknown[] } | null)?.items ?? []);
  const told = items
    .filter((item): item is Record<string, unknown> => item !== null && typeof item === 'object')
    .sort((a, b) => Number(a.run ?? 0) - Number(b.run ?? 0));
  let before: Record<string, unknown> | null = null;
  const found: Version[] = [];
  for (const item of told) {
    const cells = (item.cells ?? item.row ?? {}) as Record<string, unknown>;
    const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(cells)])].filter((name) => !name.startsWith('_'));
    const earlier: Record<string, unknown> | null = before;
    const changes = names
      .map((field) => ({ field, before: cellText(earlier?.[field]), after: cellText(cells[field]) }))
      .filter((change) => change.before !== change.after);
    const at = item.at ?? item.started_at ?? item.time;
    const label = [item.run === undefined ? '' : `Run ${String(item.run)}`, typeof at === 'string' ? moment(at) : ''].filter(Boolean).join(', ');
    found.push({ label, mark: String(item.mark ?? item.status ?? ''), changes });
    before = cells;
  }
  return found.reverse();
}
