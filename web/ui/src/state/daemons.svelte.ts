// The daemons of the deployment and their problems. They change seldom and have no event in the live stream, so they
// are asked for at an interval while the tab is visible.

import { api, asProblem } from '../data/api';
import type { Daemon, HealthProblem } from '../domain/types';

const INTERVAL_MS = 5_000;

class DaemonStates {
  list = $state.raw<Daemon[] | null>(null);
  problems = $state.raw<HealthProblem[]>([]);
  problem = $state.raw<{ title: string; detail: string } | null>(null);

  start(): () => void {
    void this.load();
    const timer = setInterval(() => {
      if (!document.hidden) void this.load();
    }, INTERVAL_MS);
    return () => clearInterval(timer);
  }

  async load() {
    try {
      const { daemons, problems } = await api.daemons();
      this.list = daemons;
      this.problems = problems;
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
  }
}

export const daemons = new DaemonStates();
