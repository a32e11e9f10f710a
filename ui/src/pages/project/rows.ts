// Rows as a table shows them: columns with their kinds, cells as texts, conditions as texts.

import type { Column } from '../../api/pages';
import type { ProjectFile } from '../../api/projects';

/** The kind of each field that a project reads, by its name. */
export function kindsOf(project: ProjectFile): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const type of Object.values(project.fields ?? {})) {
    if (type === null || typeof type !== 'object') continue;
    for (const [name, field] of Object.entries(type.read ?? {})) {
      const kind = field !== null && typeof field === 'object' && typeof field.kind === 'string' ? field.kind : 'text';
      if (!kinds.has(name)) kinds.set(name, kind);
    }
  }
  return kinds;
}

/** The page types of a project. */
export function pageTypes(project: ProjectFile): string[] {
  return Object.keys(project.fields ?? {}).filter((name) => name !== 'from');
}

/** How wide a column is, by its kind. */
export function widthOf(column: Column): string {
  if (column.kind === 'number' || column.kind === 'price') return '7rem';
  if (column.kind === 'date') return '8rem';
  return 'minmax(11rem, 1fr)';
}

export function isNumeric(kind: string | null | undefined): boolean {
  return kind === 'number' || kind === 'price';
}

/** A cell as one line of text; empty for nothing. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') {
    const entries = Object.entries(value as Record<string, unknown>);
    // A price is its amount and currency.
    if ('amount' in value || 'value' in value) return entries.map(([, one]) => cellText(one)).filter(Boolean).join(' ');
    return JSON.stringify(value);
  }
  return String(value);
}

/** A condition as the server reads it: `price<50`, `brand empty`. */
export function condition(column: string, test: string, value: string): string {
  return test.includes('empty') ? `${column} ${test}` : `${column}${test}${value.trim()}`;
}
