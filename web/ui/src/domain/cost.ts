// What an anomaly costs. Diagnoses that an older version stored have some of it in the records of their evidence only.

import { count, duration, plural } from './format';
import type { Diagnosis } from './types';

type Judged = Pick<Diagnosis, 'evidence' | 'victim' | 'cost'>;

/** Packets that switches lost, by the records that the evidence cites; 0 without any. */
export function lostPackets({ evidence, cost }: Pick<Diagnosis, 'evidence' | 'cost'>): number {
  if (cost?.lost_packets) return cost.lost_packets;
  // A verdict may cite one record for two claims.
  const records = new Map(
    evidence.flatMap(({ records }) => records.flatMap((record) => (record.kind === 'loss' ? [[JSON.stringify(record), record.packets] as const] : []))),
  );
  return [...records.values()].reduce((sum, packets) => sum + packets, 0);
}

/** How many times its base RTT the slowest measured round trip of the victim took; null without a measurement. */
export function slowDown({ evidence, victim, cost }: Judged): number | null {
  if (cost?.base_rtt_ns) return (cost.base_rtt_ns + cost.delay_ns) / cost.base_rtt_ns;
  const trips = evidence.flatMap(({ records }) => records.flatMap((record) => (record.kind === 'trigger' && record.flow === victim ? [record] : [])));
  const factors = trips.filter(({ base_rtt_ns }) => base_rtt_ns > 0).map(({ rtt_ns, base_rtt_ns }) => rtt_ns / base_rtt_ns);
  return factors.length > 0 ? Math.max(...factors) : null;
}

/** What the anomaly costs in words: the delay of the victim and how many times its base RTT that round trip took, and losses. */
export function costs(diagnosis: Judged): string[] {
  const delay = diagnosis.cost?.delay_ns ?? 0;
  const factor = slowDown(diagnosis);
  const lost = lostPackets(diagnosis);
  return [
    ...(delay > 0 ? [`delayed by up to ${duration(delay)}${factor === null ? '' : `, ${factor < 10 ? Number(factor.toFixed(1)) : count(factor)} × its base RTT`}`] : []),
    ...(lost > 0 ? [`${plural(lost, 'packet')} lost`] : []),
  ];
}
