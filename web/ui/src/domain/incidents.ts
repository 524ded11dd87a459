// The live list of incidents, loaded over REST and updated by the stream.

import type { PortState } from './heat';
import type { Incident, Port } from './types';

/** The live list shows this many; the history has all. */
export const LIVE_LIMIT = 200;

/** The list with one incident added or replaced, in its order, at most `limit` long. */
export function withIncident(list: Incident[], incident: Incident, limit = LIVE_LIMIT): Incident[] {
  return ordered([incident, ...list.filter((known) => known.id !== incident.id)]).slice(0, limit);
}

/** A loaded list with the incidents of events that arrived meanwhile, unless the list is newer. */
export function merged(loaded: Incident[], events: Incident[]): Incident[] {
  return events.reduce((list, event) => {
    const known = list.find(({ id }) => id === event.id);
    const isNewer = !known || event.update_ns > known.update_ns || (event.update_ns === known.update_ns && event.end_ns !== null);
    return isNewer ? withIncident(list, event) : list;
  }, ordered(loaded));
}

/** Ongoing incidents first, then the latest update first. */
export function ordered(list: Incident[]): Incident[] {
  return [...list].sort(
    (a, b) =>
      Number(a.end_ns !== null) - Number(b.end_ns !== null) ||
      latest(b) - latest(a) ||
      (a.id < b.id ? 1 : -1),
  );
}

/** The time of the last update. The wall clock goes on when switch time restarts with the network. */
function latest(incident: Incident): number {
  const ms = incident.update_time ? Date.parse(incident.update_time) : Number.NaN;
  return Number.isNaN(ms) ? incident.update_ns / 1e6 : ms;
}

/** The numbers of all incidents, which the server counts. */
export interface Counts {
  total: number;
  open: number;
}

/** The numbers after an incident has started, changed or ended; `before` is what was known of it. */
export function counted(counts: Counts, before: Incident | undefined, after: Incident): Counts {
  const isOpen = (incident: Incident | undefined) => Number(incident?.end_ns === null);
  return { total: counts.total + Number(!before), open: Math.max(0, counts.open + isOpen(after) - isOpen(before)) };
}

/**
 * The numbers to show beside the live list: those that the server counts, and never fewer than the list has, which is newer
 * for as long as the count is not requested again.
 */
export function shownCounts(counts: Counts | null, list: Incident[]): { ongoing: number; ended: number } {
  const open = list.filter((incident) => incident.end_ns === null).length;
  const ended = list.length - open;
  if (!counts) return { ongoing: open, ended };
  const ongoing = Math.max(counts.open, open);
  return { ongoing, ended: Math.max(counts.total - ongoing, ended) };
}

type Paused = Pick<Incident, 'end_ns' | 'root_cause' | 'pause_path' | 'loop'>;

/** Intervals of a sample after which it is not of now: the switch is no longer sampled. */
const OLD_INTERVALS = 20;

/** The ports that an incident's verdict says are paused: of a queue that pauses others, not the root port. */
function pausedPorts({ root_cause: root, pause_path, loop }: Paused): Port[] {
  const path = (pause_path ?? []).toReversed();
  return [...new Set([...(loop ?? []), ...path.filter((port) => port !== root.port || Boolean(root.host))])];
}

/**
 * The first port of an ended incident's loop or pause path that is paused now, and that no open incident explains. Whether the
 * same culprit pauses it is not known before the next verdict.
 */
export function pausedAgain(incident: Paused, ports: Map<Port, PortState>, open: Paused[], nowNs: number): Port | null {
  if (incident.end_ns === null) return null;
  const explained = new Set(open.filter((other) => other.end_ns === null).flatMap(pausedPorts));
  const isPaused = (port: Port) => {
    const sample = ports.get(port)?.sample;
    return sample !== undefined && sample.paused && nowNs - sample.time_ns <= OLD_INTERVALS * sample.interval_ns;
  };
  return pausedPorts(incident).find((port) => !explained.has(port) && isPaused(port)) ?? null;
}
