// What part a flow, port or host plays in a diagnosis. Each role has a colour, a shape and a line pattern, so that
// none is told by colour alone.

import { splitPort } from './flow';
import type { Diagnosis, Flow, Port } from './types';

export type Role = 'culprit' | 'victim' | 'spreader' | 'other';

export const ROLE_NAMES: Record<Role, string> = {
  culprit: 'culprit',
  victim: 'victim',
  spreader: 'spreads the pause',
  other: 'other flow',
};

/** The part a flow plays. A spreader suffers too; that it carried the pause says more. */
export function flowRole(flow: Flow, diagnosis: Diagnosis): Role {
  if (diagnosis.root_cause.flows.includes(flow)) return 'culprit';
  if (diagnosis.victim === flow) return 'victim';
  if (diagnosis.spreaders.includes(flow)) return 'spreader';
  return diagnosis.victims.includes(flow) ? 'victim' : 'other';
}

export type PortRole = 'root' | 'paused' | 'loop' | 'other';

/** The part a port plays: where it starts, on the way of the pause, in its loop. */
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
  /** Packets that met a paused port here, over all epochs of the evidence. */
  pausedPackets: number;
  /** Time paused within the evidence, as far as its intervals are closed. */
  pausedNs: number;
  /** A pause had not ended when the switch was read. */
  stillPaused: boolean;
  /** The evidence has a record of the port itself, so that zero means none. */
  recorded: boolean;
}

/** The way of the pause from the victim's side to the root, with what the evidence says of each hop. */
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

function pausesAt(
  port: Port,
  diagnosis: Diagnosis,
): Pick<Hop, 'pausedPackets' | 'pausedNs' | 'stillPaused' | 'recorded'> {
  const { node, number } = splitPort(port);
  let portPackets = 0;
  let flowPackets = 0;
  let pausedNs = 0;
  let stillPaused = false;
  let recorded = false;
  const seen = new Set<string>();
  for (const evidence of diagnosis.evidence) {
    if (evidence.switch !== node) continue;
    for (const record of evidence.records) {
      // Two claims may rest on the same record.
      const text = JSON.stringify(record);
      if (seen.has(text)) continue;
      seen.add(text);
      if (record.kind === 'flow' && String(record.egress_port) === number) flowPackets += record.paused_packets;
      if ((record.kind !== 'port' && record.kind !== 'pause') || String(record.port) !== number) continue;
      recorded = true;
      if (record.kind === 'port') portPackets += record.paused_packets;
      else if (record.end_ns === null) stillPaused = true;
      else pausedNs += record.end_ns - record.start_ns;
    }
  }
  // The port's own count covers every flow; without it the flows named give a lower bound.
  return { pausedPackets: Math.max(portPackets, flowPackets), pausedNs, stillPaused, recorded };
}
