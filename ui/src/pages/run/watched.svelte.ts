// A run that is watched: its latest state, when it was last heard of, and what changed beside it.
import { logPage, run as ask, runEvents, type LogLine, type Run } from '../../api/runs';
import { Problem, problemOf } from '../../api/client';
import { listen, type Heard } from '../../lib/sse';
import { isOpen } from './story';

/** How long silence may last before the state is asked for. */
const PATIENCE = 4000;
/** Lines kept of the log that comes in. */
const LINES = 1000;

export class Watched {
  run = $state.raw<Run | null>(null);
  problem = $state.raw<Problem | null>(null);
  heard = $state<Heard>('connecting');
  heardAt = $state(Date.now());
  now = $state(Date.now());
  /** Counts on whenever rows or pages may have come; at most every two seconds. */
  beat = $state(0);
  /** Lines of the log that came since this page was opened. */
  fresh = $state.raw<LogLine[]>([]);
  #last = 0;

  constructor(readonly id: string) {}

  /** Watches until the returned function is called. */
  start(): () => void {
    let gone = false;
    const take = (run: Run) => {
      if (gone) return;
      this.run = run;
      this.problem = null;
      this.#tick();
    };
    const load = () =>
      ask(this.id).then(take, (error) => {
        if (!gone && this.run === null) this.problem = problemOf(error);
      });
    void load();
    const stop: () => void = listen(runEvents(this.id), {
      on: {
        run: take as (data: never) => void,
        rows: () => this.#tick(),
        log: ((lines: LogLine[] | { items: LogLine[] }) => {
          const items = Array.isArray(lines) ? lines : lines.items;
          this.fresh = [...this.fresh, ...items].slice(-LINES);
        }) as (data: never) => void,
        gap: (() => void this.#catchUp(load)) as (data: never) => void,
      },
      state: (heard, at) => {
        // Of a run that has ended nothing more is to be heard.
        if (heard === 'lost' && this.run !== null && !isOpen(this.run)) stop();
        this.heard = heard;
        if (heard === 'live') this.heardAt = at;
      },
    });
    const clock = setInterval(() => {
      this.now = Date.now();
      const open = this.run === null || isOpen(this.run);
      if (this.heard !== 'live' && open && this.now - this.#last > PATIENCE) {
        this.#last = this.now;
        void load();
      }
    }, 1000);
    return () => {
      gone = true;
      stop();
      clearInterval(clock);
    };
  }

  /** Takes a state that another request brought. */
  take(run: Run): void {
    // The answer to "stop" may come after the news that the run has stopped.
    if (run.state === 'stopping' && this.run !== null && !isOpen(this.run)) return;
    this.run = run;
    this.beat += 1;
  }

  #tick(): void {
    const now = Date.now();
    const ended = this.run !== null && !isOpen(this.run);
    if (ended || now - this.#last >= 2000) {
      this.#last = now;
      this.beat += 1;
    }
  }

  /** Events were left out: the state and the end of the log are asked for. */
  async #catchUp(load: () => Promise<unknown>): Promise<void> {
    await load();
    const { items } = await logPage(this.id, {}, { limit: 200 });
    this.fresh = items;
  }
}
