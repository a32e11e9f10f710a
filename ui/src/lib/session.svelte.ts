// The session: asked for once at start; a lost one shows the sign-in page, a silent server its own.
import { Problem, useCsrf, whenSignedOut } from '../api/client';
import { session as ask, type Session } from '../api/session';

export const session = $state<{ state: 'asking' | 'in' | 'out' | 'offline'; was: boolean; value: Session | null }>({ state: 'asking', was: false, value: null });

export async function enter(): Promise<void> {
  try {
    // A browser writes every refusal to its console; whoever is only not signed in is no error.
    if (session.state !== 'in' && !(await isSignedIn())) {
      session.state = 'out';
      return;
    }
    const value = await ask();
    useCsrf(value.csrf);
    session.value = value;
    session.was = true;
    session.state = 'in';
  } catch (error) {
    session.state = error instanceof Problem && error.status !== 0 && error.status < 500 ? 'out' : 'offline';
  }
}

whenSignedOut(() => {
  if (session.state === 'in') session.state = 'out';
});

/** Asked before anything else: it says so, and refuses nobody. True when nobody answers: then asking tells why. */
async function isSignedIn(): Promise<boolean> {
  const answer = await fetch('/signin/state', { credentials: 'same-origin' }).catch(() => null);
  const said = answer?.ok ? ((await answer.json().catch(() => null)) as { signed_in?: boolean } | null) : null;
  return said?.signed_in !== false;
}
