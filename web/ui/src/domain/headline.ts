// The headline of an incident: the culprit first, then its effect. A reader at three in the morning needs who and what,
// the sentence of the analyzer (`summary`) has the details.

import { parseFlow, shortFlow } from './flow';
import { causeName, plural } from './format';
import type { Flow, Incident, Port } from './types';

export interface Headline {
  /** What causes the incident: "NIC storm at h11". */
  culprit: string;
  /** What it does to which flows: "stops 3 flows". */
  effect: string;
  /** Both as one sentence. */
  text: string;
  /** Where: the root port, or the first port of the loop. */
  place: Port | null;
  /** The confidence is below one half: to be shown as a guess. */
  isWeak: boolean;
}

/** The fields of an incident that its headline uses; a diagnosis has them too. */
export type Subject = Pick<Incident, 'anomaly' | 'cause' | 'confidence' | 'root_cause' | 'victims'> &
  Partial<Pick<Incident, 'victim_count' | 'pause_path' | 'loop'>>;

/** Below this confidence a verdict is more likely wrong than right. */
export const WEAK = 0.5;

/** What each anomaly does to its victims. */
const EFFECTS: Record<string, (flows: string) => string> = {
  flow_contention: (flows) => `slows ${flows}`,
  pfc_backpressure_flow_contention: (flows) => `pauses ${flows}`,
  pfc_storm_host_injection: (flows) => `stops ${flows}`,
  deadlock_in_loop_contention: (flows) => `closes a deadlock and stops ${flows}`,
  deadlock_out_of_loop_contention: (flows) => `closes a deadlock and stops ${flows}`,
  deadlock_out_of_loop_injection: (flows) => `closes a deadlock and stops ${flows}`,
  routing_loop: (flows) => `sends packets of ${flows} in a loop`,
  class_contention: (flows) => `in another class delays ${flows}`,
  packet_loss: (flows) => `drops packets of ${flows}`,
  path_change: (flows) => `delays ${flows}`,
};

/** The headline of an incident or a diagnosis, for every anomaly and cause; unknown ones become plain words. */
export function headline(incident: Subject, hosts: Map<string, string>): Headline {
  const root = incident.root_cause;
  const place = root.port ?? incident.loop?.[0] ?? null;
  const isWeak = incident.confidence < WEAK;
  const whole = (culprit: string, effect: string, joint = ' '): Headline => ({
    culprit,
    effect,
    text: `${culprit}${joint}${effect}`,
    place,
    isWeak,
  });
  const slow = `${affected(incident, hosts)} ${countAffected(incident) === 1 ? 'is' : 'are'} slow`;
  const isNamed = root.config.length > 0 || root.host !== null || root.flows.length > 0;
  if (incident.anomaly === 'undetermined') return whole('Cause not found', slow, ': ');
  if (incident.anomaly === 'host_only') return whole('No anomaly in the network', `${slow}: sender, receiver or application`, '; ');
  if (incident.anomaly === 'self_inflicted') {
    const own = root.flows[0] ?? incident.victims[0];
    return whole(own ? shortFlow(own, hosts) : 'A flow', 'queues behind its own packets');
  }
  const effect = EFFECTS[incident.anomaly] ?? ((flows: string) => `slows ${flows}`);
  // Without a culprit the anomaly itself is the subject, and its own verb would repeat it.
  const self = isNamed ? undefined : anomalyAsCulprit(incident, place);
  if (self) return whole(self, `slows ${affected(incident, hosts)}`);
  return whole(culpritOf(incident, hosts), effect(affected(incident, hosts)));
}

/** Events of links and switches have a place, but no flow or host to blame. */
function anomalyAsCulprit({ anomaly }: Subject, place: Port | null): string | undefined {
  const at = place ? ` at ${place}` : '';
  if (anomaly === 'routing_loop') return `Forwarding loop${at}`;
  if (anomaly === 'packet_loss') return `Packet loss${at}`;
  if (anomaly === 'path_change') return `Path change${at}`;
  return undefined;
}

function culpritOf(incident: Subject, hosts: Map<string, string>): string {
  const { cause, root_cause: root } = incident;
  const at = root.host ?? root.port;
  const where = at ? ` at ${at}` : '';
  if (root.config.length > 0) {
    const more = root.config.length > 1 ? ` and ${root.config.length - 1} more` : '';
    return `Configuration ${root.config[0]}${more}`;
  }
  const flows = root.flows.length;
  const of = flows > 0 ? ` of ${plural(flows, 'flow')}` : where;
  switch (cause) {
    case 'misconfiguration':
      return `Misconfiguration${where}`;
    case 'nic_storm':
      return `NIC storm${where}`;
    case 'slow_receiver':
      return root.host ? `Slow receiver ${root.host}` : `Slow receiver${where}`;
    case 'incast':
      return `Incast${of}${to(root.flows, hosts)}`;
    case 'elephant_collision':
      return flows === 1 ? `Large flow ${shortFlow(root.flows[0] ?? '', hosts)}` : `Collision${flows > 0 ? ` of ${plural(flows, 'large flow')}` : where}`;
    case 'ecmp_imbalance':
      return `ECMP imbalance${of}`;
    case 'low_rate_attack':
      return `Low-rate attack${from(root.flows, hosts) || where}`;
    case 'collective_step':
      return `Collective step${of}`;
    case 'undetermined':
      return withoutCause(incident, hosts);
    default:
      return `${causeName(cause satisfies never)}${where || of}`;
  }
}

/** The subject of a verdict that names the anomaly but no cause. */
function withoutCause({ anomaly, root_cause: root }: Subject, hosts: Map<string, string>): string {
  if (root.host) return `Pausing host ${root.host}`;
  if (root.flows.length === 1) return `Flow ${shortFlow(root.flows[0] ?? '', hosts)}`;
  if (root.flows.length > 1) return `Contention of ${plural(root.flows.length, 'flow')}${to(root.flows, hosts)}`;
  if (root.port) return `Congestion at ${root.port}`;
  return anomaly.startsWith('deadlock') ? 'Unknown congestion' : 'A port that is not recorded';
}

/** " to h3" if all flows have one receiver. */
function to(flows: Flow[], hosts: Map<string, string>): string {
  const names = ends(flows, hosts, 'dst');
  return names.length === 1 ? ` to ${names[0]}` : '';
}

/** " from h1, h2", or the number of senders. */
function from(flows: Flow[], hosts: Map<string, string>): string {
  const names = ends(flows, hosts, 'src');
  if (names.length === 0) return '';
  return names.length <= 3 ? ` from ${names.join(', ')}` : ` from ${names.length} hosts`;
}

function ends(flows: Flow[], hosts: Map<string, string>, side: 'src' | 'dst'): string[] {
  const names = flows.flatMap((flow) => {
    const address = parseFlow(flow)?.[side];
    return address === undefined ? [] : [hosts.get(address) ?? address];
  });
  return [...new Set(names)];
}

/** The affected flows: culprits are not victims, unless no other flow is, as in a deadlock of their own. */
export function victimsOf({ victims, root_cause: root }: Pick<Incident, 'victims' | 'root_cause'>): Flow[] {
  // The flows at the port of a misconfiguration are no culprits.
  const culprits = root.config.length > 0 ? [] : root.flows;
  const others = victims.filter((flow) => !culprits.includes(flow));
  if (others.length > 0) return others;
  return victims.length > 0 ? victims : culprits;
}

/** The number of affected flows; the list of an incident is cut off after a few. */
export function countAffected(incident: Pick<Incident, 'victims' | 'root_cause'> & { victim_count?: number }): number {
  const listed = victimsOf(incident).length;
  return Math.max(listed, incident.victim_count ?? 0);
}

function affected(incident: Subject, hosts: Map<string, string>): string {
  const count = countAffected(incident);
  const [only] = victimsOf(incident);
  if (count === 0) return 'traffic';
  return count === 1 && only ? shortFlow(only, hosts) : plural(count, 'flow');
}
