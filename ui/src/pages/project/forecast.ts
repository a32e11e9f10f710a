// What the revisit settings come to, in plain words.
import { forecast as texts } from '../../texts';

const days: Record<string, number> = { ms: 1 / 86_400_000, s: 1 / 86_400, m: 1 / 1_440, h: 1 / 24, d: 1, w: 7 };

/** A time as settings write it (7d, 90m, 1h30m), in days; null where it is none. */
export function inDays(text: unknown): number | null {
  const parts = typeof text === 'string' ? [...text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)] : [];
  if (!parts.length || parts.map((part) => part[0]).join('') !== text) return null;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (days[unit ?? ''] ?? 0), 0);
}

/** What a refresh will do by these settings, of as many pages as the project has; of a thousand before its first run. */
export function revisitForecast(values: Record<string, unknown>, known = 0): string {
  const pages = known > 0 ? known : 1000;
  const text = (key: string, usual: string) => (typeof values[key] === 'string' ? (values[key] as string) : usual);
  const policy = text('revisit', 'all');
  const [every, least, most] = [text('revisit_every', '7d'), text('revisit_min', '1h'), text('revisit_max', '90d')];
  const budget = Number(values.revisit_budget ?? 1000);
  const daily = (span: string) => Math.round(pages / Math.max(inDays(span) ?? 1, 1e-3));
  if (policy === 'off') return texts.off;
  if (policy === 'fixed') return texts.fixed(pages, every, daily(every));
  if (policy === 'adaptive') return texts.adaptive(pages, every, least, most, daily(most), daily(every));
  if (policy === 'optimal') return texts.optimal(pages, budget, Math.max(pages / Math.max(budget, 1), inDays(least) ?? 0), most);
  return texts.all;
}
