// Something loaded for a view: loading, there, or a problem. The last value stays while the next is loaded, so that
// nothing jumps.

import { asProblem } from '../data/api';

export class Resource<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<{ title: string; detail: string } | null>(null);
  loading = $state(false);
  #abort: AbortController | undefined;

  /** Loads; a load that is under way is given up. `keep` is false when the old value would mislead. */
  async load(loader: (signal: AbortSignal) => Promise<T>, keep = true) {
    this.#abort?.abort();
    const abort = new AbortController();
    this.#abort = abort;
    this.loading = true;
    if (!keep) this.value = null;
    try {
      const value = await loader(abort.signal);
      if (abort.signal.aborted) return;
      this.value = value;
      this.problem = null;
    } catch (error) {
      if (abort.signal.aborted) return;
      this.value = null;
      this.problem = asProblem(error);
    } finally {
      if (!abort.signal.aborted) this.loading = false;
    }
  }

  clear() {
    this.#abort?.abort();
    this.value = null;
    this.problem = null;
    this.loading = false;
  }
}
