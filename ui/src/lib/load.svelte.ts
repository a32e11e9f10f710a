// One thing loaded from the API: its value, that it is on its way, or its problem. An answer that was
// overtaken by a newer question is dropped.
import { Problem, problemOf } from '../api/client';

export class Loaded<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<Problem | null>(null);
  busy = $state(false);
  #turn = 0;
  #abort: AbortController | null = null;

  /** Asks; keeps the old value until the new one is there. */
  async run(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    const turn = ++this.#turn;
    this.#abort?.abort();
    this.#abort = new AbortController();
    this.busy = true;
    try {
      const value = await ask(this.#abort.signal);
      if (turn !== this.#turn) return null;
      this.value = value;
      this.problem = null;
      return value;
    } catch (error) {
      if (turn === this.#turn) this.problem = problemOf(error);
      return null;
    } finally {
      if (turn === this.#turn) this.busy = false;
    }
  }

  /** Forgets everything, also what is on its way. */
  clear(): void {
    this.#turn += 1;
    this.#abort?.abort();
    this.value = null;
    this.problem = null;
    this.busy = false;
  }
}
