// A value that a view loads: loading, loaded, or a problem. The old value stays while the next one is loaded, so that
// the view does not flicker.

import { asProblem } from '../data/api';

export class Resource<T> {
  value = $state.raw<T | null>(null);
  problem = $state.raw<{ title: string; detail: string; type?: string } | null>(null);
  loading = $state(false);
  #abort: AbortController | undefined;

  /** Loads a value and cancels a pending load. Set `keep` to false if the old value would be misleading. */
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
