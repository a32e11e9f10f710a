// A row's value as text.

/** Lists are joined, prices get their currency, what is nested is written as JSON. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value)) return value.map(cellText).join(', ');
  if (typeof value === 'object') {
    const { amount, currency } = value as { amount?: unknown; currency?: unknown };
    if (amount !== undefined) return currency ? `${cellText(amount)} ${cellText(currency)}` : cellText(amount);
    return JSON.stringify(value);
  }
  return String(value);
}
