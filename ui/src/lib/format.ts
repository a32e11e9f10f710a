// Numbers, times and addresses as people read them. Pure: `now` is an argument.

const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const decimal = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `12,345`. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : whole.format(value);
}

/** `12.3K`, for narrow places. */
export function compact(value: number): string {
  return value < 10_000 ? whole.format(value) : short.format(value);
}

/** `1 page`, `2 pages`. */
export function counted(value: number, one: string, many: string = `${one}s`): string {
  return `${whole.format(value)} ${value === 1 ? one : many}`;
}

/** `98 %`; never 100 % unless it is whole, never 0 % unless it is none. */
export function percent(share: number): string {
  if (share > 0 && share < 0.01) return '< 1 %';
  if (share < 1 && share > 0.99) return '> 99 %';
  return `${Math.round(share * 100)} %`;
}

/** `1.2 s`, `2 min`, `3 h 20 min`. */
export function duration(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 10) return `${decimal.format(seconds)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}

/** `4.2 MB`. */
export function bytes(value: number): string {
  if (value < 1000) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let size = value / 1000;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${decimal.format(size)} ${units[unit]}`;
}

/** `just now`, `5 min ago`, `3 days ago`, else the date. */
export function ago(moment: string, now: number): string {
  const then = Date.parse(moment);
  if (Number.isNaN(then)) return moment;
  const seconds = (now - then) / 1000;
  if (seconds < 45) return 'just now';
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min ago`;
  if (seconds < 86_400) return `${Math.round(seconds / 3600)} h ago`;
  if (seconds < 30 * 86_400) return counted(Math.round(seconds / 86_400), 'day') + ' ago';
  return moment.slice(0, 10);
}

/** `2026-11-15 08:45`, in the reader's time zone. */
export function moment(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return text;
  const pad = (n: number) => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** The address if a link to it is safe: http and https only. */
export function safeUrl(text: unknown): string | null {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text)) return null;
  try {
    const url = new URL(text);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null;
  }
}

/** Host and path without scheme, for display. */
export function shortUrl(text: string): string {
  return text.replace(/^https?:\/\//i, '').replace(/\/$/, '');
}
