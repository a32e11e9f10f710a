// The draft of a project in the picker: the file as it stands, the pages it was tried on, what it reads from them,
// and the pick under way. Every answer comes from the server's engine; this only asks and keeps.
import { problemOf, type Problem } from '../../api/client';
import { generalise, makePreview, readWith, rowsFrom, select, textOf, type Generalised, type Preview, type Reading, type Selected } from '../../api/previews';
import type { Kind, ProjectFile } from '../../api/projects';
import { Loaded } from '../../lib/load.svelte';
import { picker } from '../../texts';
import { fieldsOf, finished, freeName, isXPath, pageType, pageTypes, withDetail, withField, withList, withNext, withoutDetail, withType } from './edits';

/** What clicks in the page mean. */
export type Tool = { kind: 'rows' } | { kind: 'field'; name: string | null } | { kind: 'next' };

/** What the picker needs to know of the element that was clicked. */
export interface Clicked {
  node: number;
  tag: string;
  /** Class, id or label: wishes for a name. */
  hint: string;
}

export class Draft {
  project = $state.raw<ProjectFile>({ project: '', start: [] });
  /** The page type that is edited. */
  type = $state('list');
  /** Pages by page type. */
  previews = $state.raw<Record<string, Preview>>({});
  reading = new Loaded<Reading>();
  /** Elements that the rows' selector and the shown field's selector find now. */
  rowNodes = $state.raw<number[]>([]);
  shownNodes = $state.raw<number[]>([]);

  tool = $state.raw<Tool | null>(null);
  include = $state.raw<number[]>([]);
  exclude = $state.raw<number[]>([]);
  match = $state.raw<Generalised | null>(null);
  /** What would be selected if the element under the pointer were clicked. */
  foreseen = $state.raw<Generalised | null>(null);
  problem = $state.raw<Problem | null>(null);
  busy = $state(false);

  #past: { project: ProjectFile; type: string }[] = [];
  #future: { project: ProjectFile; type: string }[] = [];
  canUndo = $state(false);
  canRedo = $state(false);
  #narrower: number[] = [];
  /** Rows around elements: the page's tree is known to the snapshot only. */
  /** A page that a crawl read as this type, if there was one. */
  crawled: (type: string) => Promise<string | null> = async () => null;
  rowsAround: (nodes: number[]) => number[] = (nodes) => nodes;
  #hover: ReturnType<typeof setTimeout> | undefined;
  #asked: AbortController | null = null;
  #turn = 0;

  constructor(project: ProjectFile, type: string, preview: Preview | null) {
    this.project = project;
    this.type = type;
    if (preview) this.previews = { [type]: preview };
    if (preview?.reading) this.reading.value = preview.reading;
    void this.#showRows();
  }

  get preview(): Preview | null {
    return this.previews[this.type] ?? null;
  }

  get page() {
    return pageType(this.project, this.type);
  }

  get fields() {
    return fieldsOf(this.project, this.type);
  }

  get types(): string[] {
    return pageTypes(this.project);
  }

  /** Takes an edit, so that it can be undone, and reads the page with it. */
  change(project: ProjectFile, type: string = this.type): void {
    this.#past.push({ project: this.project, type: this.type });
    if (this.#past.length > 100) this.#past.shift();
    this.#future = [];
    this.#set(project, type);
  }

  undo(): void {
    const back = this.#past.pop();
    if (!back) return;
    this.#future.push({ project: this.project, type: this.type });
    this.stop();
    this.#set(back.project, back.type);
  }

  redo(): void {
    const on = this.#future.pop();
    if (!on) return;
    this.#past.push({ project: this.project, type: this.type });
    this.stop();
    this.#set(on.project, on.type);
  }

  #set(project: ProjectFile, type: string): void {
    const rows = this.page.rows;
    const moved = type !== this.type;
    this.project = project;
    this.type = this.project.fields?.[type] ? type : (pageTypes(project)[0] ?? type);
    this.canUndo = this.#past.length > 0;
    this.canRedo = this.#future.length > 0;
    if (moved || rows !== this.page.rows) void this.#showRows();
    void this.read();
  }

  /** Reads the page anew with the draft as it stands. */
  async read(): Promise<void> {
    const preview = this.preview;
    const id = preview?.id;
    if (!id) return;
    // A page type without fields is not finished: there is nothing to read yet.
    if (!this.fields.length) {
      this.reading.clear();
      return;
    }
    const project = finished(this.project);
    await this.reading.run((signal) => readWith(id, project, signal));
  }

  /** Goes to a page type; fetches its page if that was not done. */
  async open(type: string): Promise<void> {
    this.stop();
    this.type = type;
    this.shownNodes = [];
    if (!this.previews[type]) {
      const from = Object.keys(this.previews)[0];
      const url = (await this.crawled(type)) ?? this.exampleOf(type) ?? (from ? this.previews[from]?.url : undefined) ?? this.project.start[0];
      if (url) await this.fetch(url, type);
    }
    this.reading.clear();
    await Promise.all([this.read(), this.#showRows()]);
  }

  /** Fetches another page for a page type. */
  async fetch(url: string, type: string = this.type): Promise<void> {
    this.busy = true;
    this.problem = null;
    try {
      const preview = await makePreview({ url });
      this.previews = { ...this.previews, [type]: preview };
    } catch (error) {
      this.problem = problemOf(error);
    } finally {
      this.busy = false;
    }
  }

  /** The first page behind a row that leads to this page type. */
  exampleOf(type: string): string | null {
    for (const other of this.types) {
      const field = fieldsOf(this.project, other).find((one) => one.follow === type);
      if (!field) continue;
      const value = this.linksOf(field.name)[0];
      if (value) return new URL(value, this.previews[other]?.url).href;
    }
    return null;
  }

  /** Addresses that a link field read. */
  linksOf(field: string): string[] {
    const rows = this.reading.value?.rows ?? [];
    return rows.map((row) => row[field]).flat().filter((value): value is string => typeof value === 'string' && value !== '');
  }

  // --- picking ---

  start(tool: Tool): void {
    this.stop();
    this.tool = tool;
    this.problem = null;
  }

  stop(): void {
    clearTimeout(this.#hover);
    this.#asked?.abort();
    this.#turn += 1;
    this.tool = null;
    this.include = [];
    this.exclude = [];
    this.match = null;
    this.foreseen = null;
    this.#narrower = [];
  }

  /** A click: a new example, or, on what is selected already, one that is not meant. */
  async pick(clicked: Clicked): Promise<void> {
    if (!this.tool) return;
    const { node } = clicked;
    this.#narrower = [];
    this.foreseen = null;
    if (this.exclude.includes(node)) this.exclude = this.exclude.filter((one) => one !== node);
    else if (this.include.includes(node)) {
      this.include = this.include.filter((one) => one !== node);
      if (this.include.length) this.exclude = [...this.exclude, node];
    } else if (this.match?.nodes.includes(node) && this.include.length) this.exclude = [...this.exclude, node];
    else this.include = [...this.include, node];
    await this.#apply(clicked);
  }

  /** The last example gives way to its parent, or back. */
  async replaceLast(clicked: Clicked, narrower: boolean): Promise<void> {
    const last = this.include.at(-1);
    if (last === undefined) return;
    if (!narrower) this.#narrower.push(last);
    this.include = [...this.include.slice(0, -1), clicked.node];
    await this.#apply(clicked);
  }

  /** The element that the last example was before it was widened. */
  takeNarrower(): number | null {
    return this.#narrower.pop() ?? null;
  }

  /** Foresees what a click would select. */
  hover(node: number | null): void {
    clearTimeout(this.#hover);
    if (node === null || !this.tool || this.include.includes(node) || this.match?.nodes.includes(node)) {
      this.foreseen = null;
      return;
    }
    const turn = this.#turn;
    this.#hover = setTimeout(() => {
      const tool = this.tool;
      if (!tool || turn !== this.#turn) return;
      this.#ask([...this.include, node]).then(
        (match) => {
          if (turn === this.#turn) this.foreseen = match;
        },
        () => {
          if (turn === this.#turn) this.foreseen = null;
        },
      );
    }, 120);
  }

  #ask(include: number[]): Promise<Generalised> {
    const id = this.preview?.id;
    if (!id) return Promise.reject(new Error('no page'));
    this.#asked?.abort();
    this.#asked = new AbortController();
    const rows = this.tool?.kind === 'field' ? this.page.rows : undefined;
    return generalise(id, { include: this.tool?.kind === 'rows' ? this.rowsAround(include) : include, exclude: this.exclude, rows }, this.#asked.signal);
  }

  async #apply(clicked: Clicked): Promise<void> {
    const tool = this.tool;
    const id = this.preview?.id;
    if (!tool || !id) return;
    const turn = ++this.#turn;
    this.problem = null;
    if (!this.include.length) {
      this.match = null;
      return;
    }
    this.busy = true;
    try {
      const match = await this.#ask(this.include);
      if (turn !== this.#turn) return;
      this.match = match;
      const { selector } = match;
      if (selector === null || !match.count) {
        this.problem = problemOf(new Error(tool.kind === 'field' && this.page.rows ? picker.notInRow : picker.nothingFits));
        return;
      }
      if (tool.kind === 'next') this.change(withNext(this.project, this.type, 'link', textOf(selector)));
      else if (tool.kind === 'field' && tool.name !== null) this.change(withField(this.project, this.type, tool.name, selector));
      else if (tool.kind === 'field') {
        const name = freeName(this.project, this.type, clicked.hint);
        const kind = kindOf(clicked.tag, match.values);
        this.change(withField(this.project, this.type, name, { ...selector, kind }));
        this.tool = { kind: 'field', name };
      } else if (this.include.length > 1) {
        const list = await rowsFrom(id, { include: this.rowsAround(this.include), exclude: this.exclude });
        if (turn !== this.#turn) return;
        if (!list) {
          this.problem = problemOf(new Error(picker.nothingFits));
          return;
        }
        this.change(withList(this.project, this.type, list));
        this.match = { ...match, nodes: list.nodes, count: list.nodes.length };
      }
    } catch (error) {
      if (turn === this.#turn) this.problem = problemOf(error);
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }

  // --- selectors typed by hand ---

  /** What a selector finds, without taking it. */
  async try(text: string, within: boolean): Promise<Selected> {
    const id = this.preview?.id;
    if (!id) throw new Error('no page');
    const answer = await select(id, { [isXPath(text) ? 'xpath' : 'css']: text, within: within ? this.page.rows : undefined });
    if (!answer.error) this.shownNodes = answer.nodes;
    return answer;
  }

  setRows(text: string): void {
    this.change(withType(this.project, this.type, { rows: text || undefined }));
  }

  setSelector(name: string, text: string): void {
    this.change(withField(this.project, this.type, name, isXPath(text) ? { xpath: text } : { css: text }));
  }

  /** Shows what a field finds. */
  async show(name: string | null): Promise<void> {
    const field = name === null ? null : this.fields.find((one) => one.name === name);
    if (!field || (field.source !== 'css' && field.source !== 'xpath')) {
      this.shownNodes = [];
      return;
    }
    await this.try(field.text, true).catch(() => (this.shownNodes = []));
  }

  async #showRows(): Promise<void> {
    const preview = this.preview;
    const rows = this.page.rows;
    this.rowNodes = [];
    if (!preview?.id || !rows) return;
    const known = preview.lists.find((list) => textOf(list.row) === rows);
    if (known) {
      this.rowNodes = known.nodes;
      return;
    }
    try {
      const found = await select(preview.id, isXPath(rows) ? { xpath: rows } : { css: rows });
      if (rows === this.page.rows && preview === this.preview) this.rowNodes = found.nodes;
    } catch {
      // The reading tells what is wrong with the selector.
    }
  }

  // --- pages behind the rows ---

  async addDetail(field: string): Promise<void> {
    const { project, type } = withDetail(this.project, this.type, field, this.linksOf(field));
    const example = this.linksOf(field)[0];
    const base = this.preview?.url;
    this.change(project);
    if (example) await this.fetch(new URL(example, base).href, type);
    await this.open(type);
  }

  dropDetail(field: string): void {
    this.change(withoutDetail(this.project, this.type, field));
  }
}

/** What a value most likely is, by its element and how it looks. */
export function kindOf(tag: string, values: string[]): Kind {
  if (tag === 'img') return 'image';
  if (tag === 'time') return 'date';
  const filled = values.filter(Boolean);
  if (!filled.length) return 'text';
  if (filled.every((value) => value.length < 24 && /\d/.test(value) && /[€$£¥]|\b(EUR|USD|GBP|CHF)\b/.test(value))) return 'price';
  if (filled.every((value) => /^[-+]?\d[\d.,'\u00a0 ]*%?$/.test(value.trim()))) return 'number';
  return 'text';
}
