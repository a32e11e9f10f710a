// Every setting with its help, default and unit, as the server knows them.
import { get } from './client';

export interface Setting {
  key: string;
  flag?: string | null;
  variable?: string | null;
  /** `switch`, `number`, `text`, `list`, `map`, `choice`, `time`, `size`, `rate`, `pattern`, `list of patterns`. */
  kind: string;
  /** How a value is written. */
  form?: string | null;
  unit?: string | null;
  default: unknown;
  help: string;
  choices?: string[] | null;
}

export interface SettingGroup {
  name: string;
  help?: string;
  settings: Setting[];
}

export const crawlSettings = () => get<{ groups: SettingGroup[] }>('/settings');
export const indexSettings = () => get<{ groups: SettingGroup[] }>('/settings/index');
