// What an anomaly costs. Diagnoses that an older version stored have some of it in the records of their evidence only.

import { count, duration, plural } from './format';
import type { Diagnosis } from './types';

type Judged = Pick<Diagnosis, 'anomaly' | 'evidence' | 'victim' | 'cost'>;

/** Anomalies that are queues and pauses only: they do not take links down or damage frames. */
const OF_BUFFERS = ['flow_contention', 'class_contention', 'pfc_backpressure_flow_contention', 'pfc_storm_host_injection', 'self_inflicted'];
/** Losses that queues and pauses do not cause: in evidence of such an anomaly they are another verdict's. */
const NOT_OF_BUFFERS = ['no_route', 'ttl', 'link_down', 'corrupted'];

/** Packets that switches lost because of an anomaly, by the records that the evidence cites; 0 without any. */
export function lostPackets({ anomaly, evidence, cost }: Pick<Diagnosis, 'anomaly' | 'evidence' | 'cost'>): number {
  if (cost?.lost_packets) return cost.lost_packets;
  const isOfBuffers = OF_BUFFERS.includes(anomaly) || anomaly.startsWith('deadlock');
  // A verdict may cite one record for two claims.
  const records = new Map(
    evidence.flatMap(({ records }) =>
      records.flatMap((record) => (record.kind === 'loss' && !(isOfBuffers && NOT_OF_BUFFERS.includes(record.reason)) ? [[JSON.stringify(record), record.packets] as const] : [])),
    ),
  );
  return [...records.values()].reduce((sum, packets) => sum + packets, 0);
}

/** What an agent measured of the victim if round trips were normal. */
const SLOW: Record<string, string> = { slow_operation: 'operations', slow_job: 'iterations' };

/** Operations of the victim, or iterations of its job, that were slow although round trips were normal; null if round trips were slow. */
function slowOperations({ evidence, victim }: Pick<Diagnosis, 'evidence' | 'victim'>): { what: string; factor: number | null } | null {
  for (const record of evidence.flatMap(({ records }) => records)) {
    const what = record.kind === 'trigger' && record.flow === victim ? SLOW[record.reason] : undefined;
    if (record.kind !== 'trigger' || what === undefined) continue;
    return { what, factor: record.expected_ns ? record.rtt_ns / record.expected_ns : null };
  }
  return null;
}

/** Whether a diagnosis is about operations, or iterations of a job, that are slow although round trips are normal. */
export function isAboutOperations(diagnosis: Pick<Diagnosis, 'evidence' | 'victim'>): boolean {
  return slowOperations(diagnosis) !== null;
}

/** How many times its base RTT the slowest measured round trip of the victim took; null without a measurement. */
export function slowDown({ evidence, victim, cost }: Judged): number | null {
  if (cost?.base_rtt_ns) return (cost.base_rtt_ns + cost.delay_ns) / cost.base_rtt_ns;
  const trips = evidence.flatMap(({ records }) => records.flatMap((record) => (record.kind === 'trigger' && record.flow === victim ? [record] : [])));
  const factors = trips.filter(({ base_rtt_ns }) => base_rtt_ns > 0).map(({ rtt_ns, base_rtt_ns }) => rtt_ns / base_rtt_ns);
  return factors.length > 0 ? Math.max(...factors) : null;
}

/** The longest delay that the polling agents of this diagnosis measured, in nanoseconds; null without a measurement. */
function ownDelayNs({ evidence, victim }: Pick<Diagnosis, 'evidence' | 'victim'>): number | null {
  const delays = evidence.flatMap(({ records }) =>
    records.flatMap((record) => {
      if (record.kind !== 'trigger' || record.flow !== victim) return [];
      const expected = record.reason in SLOW ? (record.expected_ns ?? record.base_rtt_ns) : record.base_rtt_ns;
      return [Math.max(0, record.rtt_ns - expected)];
    }),
  );
  return delays.length > 0 ? Math.max(...delays) : null;
}

/** Delays that differ by less are the same after rounding. */
const SAME_SHARE = 0.95;

/**
 * What tells the cost of an event from that of a diagnosis: the polls of one event share the longest delay, but evidence and
 * counterfactual run are about the measurement of one poll.
 */
function worstPoll(diagnosis: Judged, delay_ns: number): string {
  const own = ownDelayNs(diagnosis);
  return own === null || own >= SAME_SHARE * delay_ns ? '' : ` (worst poll of the event; the one shown: ${duration(own)})`;
}

/** What the victim was delayed by, and how many times as long as it should that took. */
function delayed(diagnosis: Judged, delay_ns: number): string {
  const times = (factor: number | null, of: string) =>
    factor === null ? '' : `, ${factor < 10 ? Number(factor.toFixed(1)) : count(factor)} × ${of}`;
  const slow = slowOperations(diagnosis);
  if (slow) return `${slow.what} took up to ${duration(delay_ns)} longer${times(slow.factor, 'the expected time')}${worstPoll(diagnosis, delay_ns)}`;
  return `delayed by up to ${duration(delay_ns)}${times(slowDown(diagnosis), 'its base RTT')}${worstPoll(diagnosis, delay_ns)}`;
}

/** What the anomaly costs in words: the delay of the victim, and losses. */
export function costs(diagnosis: Judged): string[] {
  const delay_ns = diagnosis.cost?.delay_ns ?? 0;
  const lost = lostPackets(diagnosis);
  return [...(delay_ns > 0 ? [delayed(diagnosis, delay_ns)] : []), ...(lost > 0 ? [`${plural(lost, 'packet')} lost`] : [])];
}
