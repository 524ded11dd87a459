// The share of time for which a port is paused, for the map. It fades slowly, because pauses of microseconds would be
// invisible.

import { plural } from './format';
import type { Port, PortSample } from './types';

/** Factor of a port's heat for each sample without a pause. */
const FADE = 0.82;
/** Below this a port counts as not paused. */
const COLD = 0.01;

export interface PortState {
  sample: PortSample;
  heat: number;
}

/** The state after a batch of samples; ports without a sample keep theirs. */
export function warm(before: Map<Port, PortState>, samples: PortSample[]): Map<Port, PortState> {
  const after = new Map(before);
  for (const sample of samples) {
    const share = pauseShare(sample);
    const faded = (before.get(sample.port)?.heat ?? 0) * FADE;
    const heat = Math.max(share, faded);
    after.set(sample.port, { sample, heat: heat < COLD ? 0 : heat });
  }
  return after;
}

/** The share of a sample's interval for which the port was paused; at least 5 % if it is paused now. */
export function pauseShare(sample: { interval_ns: number; paused_ns: number; paused: boolean }): number {
  const share = sample.interval_ns > 0 ? Math.min(1, sample.paused_ns / sample.interval_ns) : 0;
  return sample.paused ? Math.max(share, 0.05) : share;
}

/** Heat in steps from 0 (not paused) to 4 (paused most of the time), so that the map is redrawn only when needed. */
export function heatStep(heat: number): 0 | 1 | 2 | 3 | 4 {
  if (heat <= 0) return 0;
  if (heat < 0.1) return 1;
  if (heat < 0.3) return 2;
  return heat < 0.6 ? 3 : 4;
}

/** A quantity in powers of two: rows with similar ones keep their order. */
function magnitude(quantity: number): number {
  return Math.ceil(Math.log2(quantity + 1));
}

/** The ports by time paused, then by queue. */
export function busiest(ports: Map<Port, PortState>, limit: number): PortState[] {
  return [...ports.values()]
    .filter((state) => state.heat > 0 || state.sample.queue_bytes > 0)
    .sort(
      (a, b) =>
        magnitude(b.heat * 100) - magnitude(a.heat * 100) ||
        magnitude(b.sample.queue_bytes) - magnitude(a.sample.queue_bytes) ||
        (a.sample.port < b.sample.port ? -1 : 1),
    )
    .slice(0, limit);
}

/** The ports that are paused, and those that only queue packets, the busiest first. */
export function pausedOrQueuing(ports: Map<Port, PortState>): { paused: Port[]; queuing: Port[] } {
  const busy = busiest(ports, ports.size).map(({ sample, heat }) => ({ port: sample.port, isPaused: heatStep(heat) > 0 }));
  const names = (isPaused: boolean) => busy.filter((one) => one.isPaused === isPaused).map(({ port }) => port);
  return { paused: names(true), queuing: names(false) };
}

/** What the place of a verdict says until there is one: "3 ports are paused; no diagnosis yet". */
export function beforeDiagnosis({ paused, queuing }: { paused: Port[]; queuing: Port[] }): string {
  const [ports, doing] = paused.length > 0 ? [paused, 'paused'] : [queuing, 'queuing packets'];
  if (ports.length === 0) return 'No slow flows';
  return `${plural(ports.length, 'port')} ${ports.length === 1 ? 'is' : 'are'} ${doing}; no diagnosis yet`;
}
