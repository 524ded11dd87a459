// The share of time for which a port is paused, its queue and its rate, for the map. They fade slowly, because pauses and
// queues of microseconds would be invisible.

import { plural } from './format';
import type { Port, PortSample } from './types';

/** Factor of a port's heat, queue and rate for each sample that has less. */
const FADE = 0.82;
/** Below this a port counts as not paused. */
const COLD = 0.01;

export interface PortState {
  sample: PortSample;
  heat: number;
  /** The queue in bytes and the rate in bits per second, fading like the heat. */
  queueBytes: number;
  txBps: number;
}

/** Whether a port does nothing. The server sends no further samples of it until that changes. */
export function isIdle(sample: PortSample): boolean {
  return !sample.paused && sample.paused_ns === 0 && sample.queue_bytes === 0 && sample.tx_bps === 0;
}

/** The state after a batch of samples. Ports without a sample keep theirs; what an idle one did before fades. */
export function warm(before: Map<Port, PortState>, samples: PortSample[]): Map<Port, PortState> {
  const after = new Map(before);
  const isSampled = new Set(samples.map(({ port }) => port));
  for (const [port, state] of before) {
    const fades = state.heat > 0 || state.queueBytes > 0 || state.txBps > 0;
    if (fades && !isSampled.has(port) && isIdle(state.sample)) after.set(port, faded(state, state.sample));
  }
  for (const sample of samples) after.set(sample.port, faded(before.get(sample.port), sample));
  return after;
}

function faded(known: PortState | undefined, sample: PortSample): PortState {
  const heat = Math.max(pauseShare(sample), (known?.heat ?? 0) * FADE);
  const queueBytes = Math.max(sample.queue_bytes, (known?.queueBytes ?? 0) * FADE);
  const txBps = Math.max(sample.tx_bps, (known?.txBps ?? 0) * FADE);
  return { sample, heat: heat < COLD ? 0 : heat, queueBytes: queueBytes < 1 ? 0 : queueBytes, txBps: txBps < 1 ? 0 : txBps };
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
