// Which incident the first page shows until a reader selects one.

import type { Incident, Occurrence, Severity } from './types';
import { WEAK } from './victims';

const SEVERITY_RANK: Record<Severity, number> = { critical: 3, major: 2, minor: 1, info: 0 };

/** The severity, or what the anomaly implies for a server that does not send one. */
function severityRank({ severity, anomaly }: Incident): number {
  if (severity) return SEVERITY_RANK[severity] ?? 0;
  return anomaly.startsWith('deadlock') ? 3 : anomaly.startsWith('pfc') ? 2 : 1;
}

/** A fault of the network, which flows follow to another path: an outage, a missing route, a detour, a loop, a bad link. */
function isNetworkFault({ anomaly, fault }: Incident): boolean {
  return anomaly === 'path_change' || anomaly === 'routing_loop' || (anomaly === 'packet_loss' && Boolean(fault));
}

const CONTENTION = ['flow_contention', 'class_contention', 'pfc_backpressure_flow_contention', 'self_inflicted'];

/** Contention that a network fault may explain: a wrong setting is a cause of its own. */
function isContention({ anomaly, root_cause: root }: Incident): boolean {
  return CONTENTION.includes(anomaly) && root.config.length === 0;
}

/**
 * The longest time between a fault and the contention that it leads to: rerouted flows fill the queue of another port within
 * some round trips, and the diagnosis needs a slow one and a poll.
 */
const FOLLOWS_NS = 5e6;

type Span = Pick<Occurrence, 'start_ns' | 'end_ns'>;

/** The times of an incident, oldest first. A server that does not list them has the first one and the end. */
function spans({ occurrences, start_ns, end_ns }: Incident): Span[] {
  return occurrences && occurrences.length > 0 ? occurrences : [{ start_ns, end_ns }];
}

/** Whether the latest time of a contention began within a time of the fault, or shortly after it. */
function follows(contention: Incident, fault: Incident): boolean {
  const latest = spans(contention).at(-1);
  if (!latest) return false;
  return spans(fault).some(({ start_ns, end_ns }) => start_ns <= (latest.end_ns ?? Infinity) && latest.start_ns <= (end_ns ?? Infinity) + FOLLOWS_NS);
}

interface Ranked {
  incident: Incident;
  /** What the choice depends on, the most important first; more is before less. */
  rank: number[];
}

/** The incidents with their ranks: ongoing, likely, severe, and not explained by a fault of the network. */
function ranked(list: Incident[]): Ranked[] {
  const isLikely = ({ confidence }: Incident) => confidence >= WEAK;
  const faults = list.filter((one) => isNetworkFault(one) && isLikely(one));
  const contentions = faults.length > 0 ? list.filter(isContention) : [];
  const isOpen = (one: Incident) => one.end_ns === null;
  return list.map((incident) => {
    const effects = faults.includes(incident) ? contentions.filter((one) => follows(one, incident)) : [];
    const causes = contentions.includes(incident) ? faults.filter((fault) => follows(incident, fault)) : [];
    // An outage is over when flows have another path; it explains their contention for as long as that lasts.
    const counts = isOpen(incident) || effects.some(isOpen);
    const isExplained = causes.some((fault) => severityRank(fault) >= severityRank(incident));
    return { incident, rank: [Number(counts), Number(isLikely(incident)), severityRank(incident), Number(!isExplained)] };
  });
}

/** The order of two ranks: negative if the first one is before the second. */
function compared(a: number[], b: number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : (b[at] ?? 0) - (a[at] ?? 0);
}

/** The start of the latest time of an incident. */
const latestStart = (incident: Incident) => spans(incident).at(-1)?.start_ns ?? incident.start_ns;

/**
 * The incident that is shown until one is selected: ongoing before ended, likely before guessed, then the most severe, then
 * a fault of the network before the contention that follows it, then by delay, confidence and the latest occurrence.
 *
 * `shown` is the one that the page shows already. It stays while no other is graver: delay, confidence and occurrences change
 * with every diagnosis.
 */
export function foremost(list: Incident[], shown: string | null = null): Incident | null {
  const all = ranked(list).sort(
    (a, b) =>
      compared(a.rank, b.rank) ||
      Number(b.incident.id === shown) - Number(a.incident.id === shown) ||
      (b.incident.cost?.delay_ns ?? 0) - (a.incident.cost?.delay_ns ?? 0) ||
      Math.round(b.incident.confidence * 100) - Math.round(a.incident.confidence * 100) ||
      latestStart(b.incident) - latestStart(a.incident),
  );
  return all[0]?.incident ?? null;
}
