// What the app says and asks in passing: toasts, and questions before something is lost.

export interface Toast {
  id: number;
  kind: 'good' | 'bad' | 'info';
  text: string;
  href?: string;
  label?: string;
}

export const toasts = $state<Toast[]>([]);
let last = 0;

/** Says something in the corner; an error stays until it is closed. */
export function toast(text: string, kind: Toast['kind'] = 'good', link?: { href: string; label: string }): void {
  const id = ++last;
  toasts.push({ id, kind, text, ...link });
  if (toasts.length > 4) toasts.shift();
  if (kind !== 'bad') setTimeout(() => untoast(id), 6000);
}

export function untoast(id: number): void {
  const at = toasts.findIndex((one) => one.id === id);
  if (at >= 0) toasts.splice(at, 1);
}

export interface Question {
  title: string;
  text: string;
  /** What happens, word by word, on the button. */
  yes: string;
  no?: string;
  danger?: boolean;
  /** To be typed before `yes` works. */
  typed?: string;
}

export const asked = $state<{ question: Question | null }>({ question: null });
let answer: ((yes: boolean) => void) | null = null;

/** Asks a clear question; resolves to what was chosen. */
export function askUser(question: Question): Promise<boolean> {
  answer?.(false);
  asked.question = question;
  return new Promise((resolve) => {
    answer = resolve;
  });
}

export function answerUser(yes: boolean): void {
  asked.question = null;
  answer?.(yes);
  answer = null;
}

/** Copies a text and says so. */
export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(said);
  } catch {
    toast(text, 'info');
  }
}
