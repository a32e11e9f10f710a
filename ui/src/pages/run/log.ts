// Lines of a log: what a filter lets pass, and how what comes in joins what was asked for.

import type { LogLine } from '../../api/runs';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

/** Whether the server would have let a line pass, for lines that come in by themselves. */
export function matches(line: LogLine, filter: { level: string; url: string; text: string }): boolean {
  if (filter.level && LEVELS.indexOf(line.level) < LEVELS.indexOf(filter.level)) return false;
  if (filter.url && !(line.url ?? '').includes(filter.url)) return false;
  const text = filter.text.toLowerCase();
  return !text || line.message.toLowerCase().includes(text) || (line.url ?? '').toLowerCase().includes(text);
}

/** Both in order, each line once, the last `most` of them. */
export function merged(asked: LogLine[], fresh: LogLine[], most: number): LogLine[] {
  const last = asked.at(-1)?.seq ?? -1;
  return [...asked, ...fresh.filter((line) => line.seq > last)].slice(-most);
}

/** The time of day of a line, in the reader's time zone. */
export function timeOf(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const pad = (value: number, length = 2) => String(value).padStart(length, '0');
  return `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}.${pad(date.getMilliseconds(), 3)}`;
}
