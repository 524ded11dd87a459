// All ports of a network as rows of a table, the most paused first.

import { splitPort } from './flow';
import { heatStep, type PortState } from './heat';
import type { Port, Topology } from './types';

export interface PortRow {
  port: Port;
  /** The port at the other end of the link. */
  peer: Port;
  rateBps: number;
  /** Share of time paused; null for a port without samples. */
  paused: number | null;
  /** The priorities that were paused in the latest sample. */
  priorities: number[];
  queueBytes: number | null;
  /** Sent bits per second over the link's rate. */
  utilisation: number | null;
}

/** Rows of a page. */
export const PAGE_ROWS = 50;

/** A port with the other end of its link. */
export type PortEnd = Pick<PortRow, 'port' | 'peer' | 'rateBps'>;

/** Every port of the network, or of one node, in natural order. */
export function portEnds(topology: Topology, node?: string): PortEnd[] {
  const ends = topology.links.flatMap(({ a, b, rate: rateBps }): PortEnd[] => [
    { port: a, peer: b, rateBps },
    { port: b, peer: a, rateBps },
  ]);
  const own = node === undefined ? ends : ends.filter(({ port }) => splitPort(port).node === node);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return own.sort((x, y) => compare(x.port, y.port));
}

/**
 * The ports whose name, or whose peer's name, contains `search`: those of the incident first, then the most paused, then
 * those that queue.
 */
export function orderedPorts(ends: PortEnd[], ports: Map<Port, PortState>, search = '', incident: Port[] = []): PortEnd[] {
  const wanted = search.trim().toLowerCase();
  const isWanted = ({ port, peer }: PortEnd) => port.toLowerCase().includes(wanted) || peer.toLowerCase().includes(wanted);
  const found = wanted ? ends.filter(isWanted) : ends;
  // In steps, so that rows do not change places with every sample.
  const rank = new Map(incident.map((port, index) => [port, 1000 + incident.length - index]));
  const activity = ({ port }: PortEnd) => {
    const [ranked, state] = [rank.get(port), ports.get(port)];
    if (ranked !== undefined) return ranked;
    return state ? heatStep(state.heat) * 64 + Math.ceil(Math.log2(state.sample.queue_bytes + 1)) : 0;
  };
  const active = found.map((end) => ({ end, activity: activity(end) })).filter((entry) => entry.activity > 0);
  if (active.length === 0) return found;
  const busy = active.sort((x, y) => y.activity - x.activity).map(({ end }) => end);
  const isBusy = new Set(busy);
  return [...busy, ...found.filter((end) => !isBusy.has(end))];
}

/** The row of a port with its latest sample. */
export function portRow(end: PortEnd, state: PortState | undefined): PortRow {
  if (!state) return { ...end, paused: null, priorities: [], queueBytes: null, utilisation: null };
  const { sample, heat } = state;
  return {
    ...end,
    paused: heatStep(heat) === 0 ? 0 : heat,
    priorities: sample.paused_priorities ?? [],
    queueBytes: sample.queue_bytes,
    utilisation: end.rateBps > 0 ? sample.tx_bps / end.rateBps : null,
  };
}

export interface PageOf<T> {
  rows: T[];
  page: number;
  pages: number;
}

/** A page of a list, from 0 on; a page beyond the end is the last one. */
export function pageOf<T>(all: T[], page: number, size = PAGE_ROWS): PageOf<T> {
  const pages = Math.max(1, Math.ceil(all.length / size));
  const shown = Math.min(Math.max(0, page), pages - 1);
  return { rows: all.slice(shown * size, (shown + 1) * size), page: shown, pages };
}
