// The daemons of the deployment and their problems. They change seldom and have no event in the live stream, so they
// are requested at an interval while the tab is visible.

import { api } from '../data/api';
import type { Daemons } from '../domain/types';
import { Resource } from './resource.svelte';

/** A daemon is silent for many seconds before it shows, so a shorter interval would show nothing more. */
const INTERVAL_MS = 3_000;

class DaemonStates extends Resource<Daemons> {
  refresh = () => void this.load((signal) => api.daemons(signal));

  start(): () => void {
    this.refresh();
    const timer = setInterval(() => {
      if (!document.hidden) this.refresh();
    }, INTERVAL_MS);
    return () => clearInterval(timer);
  }
}

export const daemons = new DaemonStates();
