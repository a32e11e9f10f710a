// Files that the browser saves.

const endings: Record<string, string> = { 'text/html': 'html', 'application/xhtml+xml': 'html', 'text/plain': 'txt', 'application/pdf': 'pdf', 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'image/webp': 'webp' };

/** Lets the browser save something under a name. It is never opened as a page of ours. */
export function save(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** The name of the file that a version of a page is saved as: its address, when it was fetched, what it is. */
export function versionName(url: string, at: string, type: string | null): string {
  const plain = (text: string) => text.replace(/[^A-Za-z0-9.]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  const ending = endings[(type ?? '').split(';')[0]!.trim().toLowerCase()] ?? 'bin';
  const address = plain(url.replace(/^[a-z]+:\/\//, '')).slice(0, 100);
  const name = address.toLowerCase().endsWith(`.${ending}`) ? address.slice(0, -ending.length - 1) : address;
  return `${name}-${plain(at.slice(0, 19))}.${ending}`;
}
