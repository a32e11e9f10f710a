// Settings between their JSON value and what stands in a form.

import type { Setting, SettingGroup } from '../../api/settings';

export type Control = 'switch' | 'choice' | 'number' | 'text' | 'list' | 'map';

/** The choices of a setting, where its form names them all: `obey or ignore`. */
export function choices(setting: Setting): string[] {
  if (setting.choices?.length) return setting.choices;
  const form = setting.form ?? '';
  return form === 'true or false' ? [] : names(form);
}

/** Names that a setting may take, where its form knows more than these: `a, b or c; or shares of them`. */
export function suggestions(setting: Setting): string[] {
  const [first, ...more] = (setting.form ?? '').split('; ');
  return more.length > 0 ? names(first ?? '') : [];
}

function names(form: string): string[] {
  return /^[a-z0-9-]+(, [a-z0-9-]+)* or [a-z0-9-]+$/.test(form) ? form.split(/, | or /) : [];
}

/** What a setting is edited with. */
export function control(setting: Setting): Control {
  if (setting.kind.startsWith('list')) return 'list';
  if (setting.kind === 'switch' || setting.kind === 'number' || setting.kind === 'map') return setting.kind;
  return choices(setting).length > 0 ? 'choice' : 'text';
}

/** A value as people write it; empty for none. */
export function written(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(written).join(', ');
  if (typeof value === 'object') {
    const entries = Object.entries(value).filter(([, one]) => written(one) !== '');
    return entries.map(([name, one]) => `${name}: ${written(one)}`).join(', ');
  }
  return String(value);
}

/** The text of a value in its box: one item a line for lists and maps, JSON for what lies deeper. */
export function boxText(value: unknown, setting: Setting): string {
  if (value === null || value === undefined) return '';
  const kind = control(setting);
  if (kind === 'list') return (Array.isArray(value) ? value : [value]).map(item).join('\n');
  if (kind === 'map' && typeof value === 'object') return Object.entries(value).map(([name, one]) => `${name}: ${item(one)}`).join('\n');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The value of a box's text; undefined for an empty one, which leaves the default. */
export function boxValue(text: string, setting: Setting): unknown {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const kind = control(setting);
  const lines = trimmed.split('\n').map((line) => line.trim()).filter(Boolean);
  if (kind === 'list') return lines.map((line) => read(line, GROUPS.has(setting.key)));
  if (kind === 'map') {
    return Object.fromEntries(lines.map((line) => {
      const at = line.indexOf(':');
      const value = at < 0 ? '' : line.slice(at + 1).trim();
      return [at < 0 ? line : line.slice(0, at).trim(), setting.key.startsWith('ranking.') && NUMBER.test(value) ? Number(value) : value];
    }));
  }
  // What is no number is sent as it is: the server says what is wrong with it.
  if (kind === 'number' && NUMBER.test(trimmed)) return Number(trimmed);
  return read(trimmed, false);
}

const NUMBER = /^-?\d+(\.\d+)?$/;
/** Lists of groups of words: a line is a group. */
const GROUPS = new Set(['analysis.synonyms']);

function item(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function read(text: string, isGroup: boolean): unknown {
  if (text.startsWith('{') || text.startsWith('[')) {
    try {
      return JSON.parse(text);
    } catch {
      // Not JSON after all: a text that begins so.
    }
  }
  return isGroup ? text.split(',').map((word) => word.trim()).filter(Boolean) : text;
}

/** The value at a path such as `ranking.k`. */
export function valueAt(values: Record<string, unknown>, path: string): unknown {
  let value: unknown = values;
  for (const key of path.split('.')) {
    if (value === null || typeof value !== 'object') return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** The same values with another one at a path; undefined takes it away, and what is left empty by that. */
export function withValue(values: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [key, ...rest] = path.split('.');
  if (key === undefined) return values;
  const changed = { ...values };
  if (rest.length > 0) {
    const below = changed[key];
    const inner = withValue(below && typeof below === 'object' ? (below as Record<string, unknown>) : {}, rest.join('.'), value);
    if (Object.keys(inner).length > 0) changed[key] = inner;
    else delete changed[key];
  } else if (value === undefined) delete changed[key];
  else changed[key] = value;
  return changed;
}

/** Whether a value is set to something else than the default. */
export function isChanged(values: Record<string, unknown>, setting: Setting): boolean {
  const value = valueAt(values, setting.key);
  return value !== undefined && JSON.stringify(value) !== JSON.stringify(setting.default);
}

/** Groups with the settings whose name or help has all words. */
export function found(groups: SettingGroup[], words: string): SettingGroup[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return groups;
  return groups
    .map((group) => ({
      ...group,
      settings: group.settings.filter((setting) => {
        const text = `${setting.key} ${setting.help}`.toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
    }))
    .filter((group) => group.settings.length > 0);
}
