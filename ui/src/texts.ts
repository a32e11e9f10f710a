// Every text of the UI, one object per page. Texts from the server (problems, health, help of settings) come as they are.
import { count, counted } from './lib/format';

export const common = {
  app: 'Gannet',
  close: 'Close',
  cancel: 'Cancel',
  save: 'Save',
  remove: 'Remove',
  copy: 'Copy',
  copied: 'Copied.',
  tryAgain: 'Try again',
  loading: 'Loading…',
  skip: 'Skip to content',
  more: 'More',
  typeToConfirm: (text: string) => `Type “${text}” to go on`,
  lineColumn: (line: number, column: number | null) => (column ? `line ${line}, column ${column}:` : `line ${line}:`),
  notFoundTitle: 'There is no such page',
  notFound: 'The address may be old or mistyped.',
  toHome: 'Go to Home',
};

export const rail = {
  label: 'Main',
  new: 'New',
  home: 'Home',
  projects: 'Projects',
  runs: 'Runs',
  search: 'Search',
  settings: 'Settings',
  help: 'Help',
  jump: 'Jump to…',
  more: 'More',
};

export const themes = {
  label: 'Colours',
  auto: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

export const runStates = {
  running: 'Running',
  paused: 'Paused',
  stopping: 'Stopping',
  completed: 'Completed',
  stopped: 'Stopped',
  cancelled: 'Cancelled',
  failed: 'Failed',
};

export const signin = {
  title: 'Sign in',
  text: 'Gannet runs on this machine and knows you by a one-time link. Open the address that gannet serve printed in its terminal when it started.',
  lost: 'Lost it, or already used? This command prints a new one:',
  command: 'gannet signin',
  again: 'I have signed in',
  outTitle: 'You are signed out',
  offlineTitle: 'Gannet does not answer',
  offline: 'Nothing listens at this address. Start it again, this page goes on by itself:',
  serve: 'gannet serve',
};

export const home = {
  title: 'Crawl a site, search its rows',
  lead: 'Paste the address of a page with a list: products, articles, people, jobs.',
  url: 'Address of a page',
  placeholder: 'https://shop.test/list',
  look: 'Look',
  orImport: 'or import a project file',
  running: 'Running now',
  attention: 'Needs attention',
  recent: 'Projects',
  all: 'All projects',
  samples: 'Or begin with a sample',
  samplesText: 'Three small projects on a demo site that is part of Gannet. They work without the Internet.',
  useSample: 'Use this sample',
  noDemo: 'The demo site is not running.',
  imported: (name: string) => `${name} is imported.`,
  importTitle: 'The file has mistakes',
  notYet: 'Not crawled yet',
  pagesRows: (pages: number, rows: number) => `${counted(pages, 'page')}, ${counted(rows, 'row')}`,
  notAnAddress: 'This is not an address. Write it as https://shop.test/list.',
};
export { count };
