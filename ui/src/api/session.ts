// Who is signed in, and the tokens for scripts.
import { del, get, part, post, type Items } from './client';

export interface Session {
  user: string;
  csrf: string;
  version: string;
  demo: string | null;
  data_dir: string;
  ui: boolean;
}

export interface Token {
  id: string | number;
  name: string;
  created: string;
  last_used: string | null;
  expires: string | null;
}

export const session = () => get<Session>('/session');
export const signOut = () => del<null>('/session');
export const tokens = () => get<Items<Token>>('/tokens');
/** `days` until it ends; null for never. */
export const makeToken = (name: string, days: number | null) => post<Token & { token: string }>('/tokens', { name, days });
export const dropToken = (id: string | number) => del<null>(`/tokens/${part(String(id))}`);
