// What a person types into the URL box, as an address.

/** The address, with https added where no scheme was typed (http for loopback); null if it can be none. */
export function addressFrom(typed: string): string | null {
  const text = typed.trim();
  if (!text || /\s/.test(text)) return null;
  const local = /^(localhost|127\.|\[::1\])/i.test(text);
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `${local ? 'http' : 'https'}://${text}`;
  try {
    const url = new URL(whole);
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
    return url.hostname.includes('.') || url.hostname === 'localhost' || url.hostname.startsWith('[') ? url.href : null;
  } catch {
    return null;
  }
}
