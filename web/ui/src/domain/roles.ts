// Roles of flows, ports and hosts in a diagnosis. Each role has a colour, a shape and a line pattern, so that roles do
// not differ by colour alone.

import { splitPort } from './flow';
import { duration, plural } from './format';
import type { Diagnosis, Flow, Port } from './types';

export type Role = 'culprit' | 'victim' | 'spreader' | 'other';

export const ROLE_NAMES: Record<Role, string> = {
  culprit: 'culprit',
  victim: 'victim',
  spreader: 'spreader',
  other: 'other flow',
};

/** The culprit flows: of a misconfiguration, the flows at the root port are none. */
export function culpritFlows({ root_cause: root }: Pick<Diagnosis, 'root_cause'>): Flow[] {
  return root.config.length > 0 ? [] : root.flows;
}

/** Whether the headline starts with a culprit. Otherwise it starts with what is not known, e.g. `Cause not found`. */
export function namesCulprit({ anomaly, cause }: Pick<Diagnosis, 'anomaly' | 'cause'>): boolean {
  return anomaly !== 'undetermined' && !(anomaly === 'host_only' && cause === 'undetermined');
}

/** Whether the anomaly says what happened without a cause of its own: a loss or a change of the path at a port. */
export function isItsOwnCause({ anomaly, cause }: Pick<Diagnosis, 'anomaly' | 'cause'>): boolean {
  return cause === 'undetermined' && ['packet_loss', 'path_change', 'self_inflicted'].includes(anomaly);
}

/**
 * Whether a page states the cause beside the headline. "Cause undetermined" beside flows or a host that the headline names
 * would contradict it: it only means that their traffic has none of the known patterns.
 */
export function showsCause(diagnosis: Pick<Diagnosis, 'anomaly' | 'cause' | 'root_cause'>): boolean {
  if (diagnosis.cause !== 'undetermined') return true;
  const root = diagnosis.root_cause;
  const isNamed = root.flows.length > 0 || Boolean(root.host) || root.config.length > 0;
  return !isNamed && !isItsOwnCause(diagnosis);
}

/** The flow that stands for the victims: the measured one, or another one if the measured flow is a culprit itself. */
export function foremostVictim(diagnosis: Pick<Diagnosis, 'anomaly' | 'victim' | 'victims' | 'root_cause'>): Flow | null {
  const culprits = culpritFlows(diagnosis);
  const measured = diagnosis.victim ?? null;
  if (measured !== null && (diagnosis.anomaly === 'self_inflicted' || !culprits.includes(measured))) return measured;
  return diagnosis.victims.find((flow) => !culprits.includes(flow)) ?? measured;
}

/** The switches whose configuration is the culprit; findings are named `switch/setting` or `switch:port/rule`. */
export function culpritSwitches({ root_cause: root }: Pick<Diagnosis, 'root_cause'>): string[] {
  return [...new Set(root.config.map((finding) => (finding.split('/')[0] ?? finding).replace(/:\d+$/, '')))];
}

/** The role of a flow. A spreader is also a victim; the role of a spreader says more. */
export function flowRole(flow: Flow, diagnosis: Diagnosis): Role {
  if (culpritFlows(diagnosis).includes(flow)) return 'culprit';
  if (diagnosis.victim === flow) return 'victim';
  if (diagnosis.spreaders.includes(flow)) return 'spreader';
  return diagnosis.victims.includes(flow) ? 'victim' : 'other';
}

export type PortRole = 'root' | 'paused' | 'loop' | 'other';

/** The role of a port: root port, in the loop, on the pause path, or other. */
export function portRole(port: Port, diagnosis: Diagnosis): PortRole {
  if (diagnosis.root_cause.port === port) return 'root';
  if (diagnosis.loop.includes(port)) return 'loop';
  return diagnosis.pause_path.includes(port) ? 'paused' : 'other';
}

export interface Hop {
  port: Port;
  node: string;
  /** The device at the far end of the port's link. */
  towards: string;
  role: PortRole;
  /** Packets enqueued while the port was paused, over all epochs of the evidence. */
  pausedPackets: number;
  /** Time paused, over all intervals of the evidence; of one that lasted when the switch was read, until then. */
  pausedNs: number;
  /** The port was still paused when the switch was read. */
  stillPaused: boolean;
  /** The evidence has a record of the port, so zero means no pause. */
  recorded: boolean;
}

/** The pause path from the victim to the root port, with the evidence of each hop. */
export function hops(diagnosis: Diagnosis, peerOf: (port: Port) => Port | undefined): Hop[] {
  const ports = diagnosis.pause_path.length > 0 ? diagnosis.pause_path : diagnosis.loop;
  const root = diagnosis.root_cause.port;
  const path = ports.length === 0 && root ? [root] : ports;
  return path.map((port) => {
    const { node } = splitPort(port);
    const peer = peerOf(port);
    return {
      port,
      node,
      towards: peer ? splitPort(peer).node : '',
      role: portRole(port, diagnosis),
      ...pausesAt(port, diagnosis),
    };
  });
}

function pausesAt(port: Port, diagnosis: Diagnosis): Pick<Hop, 'pausedPackets' | 'pausedNs' | 'stillPaused' | 'recorded'> {
  const { node, number } = splitPort(port);
  let portPackets = 0;
  let flowPackets = 0;
  let pausedNs = 0;
  let openNs = 0;
  let totalNs = 0;
  let stillPaused = false;
  let recorded = false;
  const seen = new Set<string>();
  for (const evidence of diagnosis.evidence) {
    if (evidence.switch !== node) continue;
    for (const record of evidence.records) {
      // Several claims may refer to the same record.
      const text = JSON.stringify(record);
      if (seen.has(text)) continue;
      seen.add(text);
      if (record.kind === 'pause_total') {
        if (record.port === port) totalNs = Math.max(totalNs, record.paused_ns);
        continue;
      }
      if (record.kind === 'flow' && String(record.egress_port) === number) flowPackets += record.paused_packets;
      if ((record.kind !== 'port' && record.kind !== 'pause') || String(record.port) !== number) continue;
      recorded = true;
      if (record.kind === 'port') portPackets += record.paused_packets;
      else if (typeof record.end_ns === 'number') pausedNs += record.end_ns - record.start_ns;
      else {
        stillPaused = true;
        // It lasted at least until the victim was measured, if its switch was read later.
        openNs += Math.max(0, diagnosis.time_ns - record.start_ns);
      }
    }
  }
  return {
    // The port record counts all flows; without one, the flow records give a lower bound.
    pausedPackets: Math.max(portPackets, flowPackets),
    // The total counts a pause until its switch was read, which no record of the pause says.
    pausedNs: Math.max(totalNs, pausedNs + openNs),
    stillPaused,
    recorded,
  };
}

/** What a hop shows: the packets that were enqueued while it was paused, and for how long it was paused. */
export function hopText({ pausedPackets, pausedNs, stillPaused, recorded }: Omit<Hop, 'port' | 'node' | 'towards' | 'role'>): string {
  const parts: string[] = [];
  if (pausedPackets > 0) parts.push(`${plural(pausedPackets, 'packet')} enqueued while paused`);
  if (pausedNs > 0) parts.push(`paused for ${stillPaused ? 'at least ' : ''}${duration(pausedNs)}`);
  if (stillPaused) parts.push('still paused when read');
  if (parts.length > 0) return parts.join(', ');
  return recorded ? 'not paused' : 'no pause record';
}
