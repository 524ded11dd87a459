// What concerns one switch or one host: its ports, its neighbours, incidents and daemons.

import { parseFlow, splitPort } from './flow';
import { reported } from './daemons';
import type { PortState } from './heat';
import { heatStep } from './heat';
import { type PortRow, portEnds, portRow } from './ports';
import { culpritSwitches } from './roles';
import type { Daemon, HealthProblem, Incident, Port, Topology } from './types';

export interface NodePort extends PortRow {
  /** The node at the other end of the link. */
  neighbour: string;
  /** Share of time for which the neighbour was paused by this port; null without samples of the neighbour. */
  pausesPeer: number | null;
}

/** The ports of a node in natural order. A port pauses its peer: the peer's samples say for how long. */
export function nodePorts(topology: Topology, name: string, ports: Map<Port, PortState>): NodePort[] {
  return portEnds(topology, name).map((end) => {
    const peer = ports.get(end.peer);
    const pausesPeer = peer ? (heatStep(peer.heat) === 0 ? 0 : peer.heat) : null;
    return { ...portRow(end, ports.get(end.port)), neighbour: splitPort(end.peer).node, pausesPeer };
  });
}

/** How an incident concerns a switch, or null if it does not. */
export function switchPart(incident: Incident, name: string): string | null {
  const at = (port: Port | null | undefined) => port !== null && port !== undefined && splitPort(port).node === name;
  if (culpritSwitches(incident).includes(name)) return 'misconfigured';
  if (at(incident.root_cause.port)) return 'root port';
  if (incident.loop?.some(at)) return 'in the loop';
  return incident.pause_path?.some(at) ? 'on the pause path' : null;
}

/** How an incident concerns a host, or null if it does not. */
export function hostPart(incident: Incident, name: string, hosts: Map<string, string>): string | null {
  const root = incident.root_cause;
  if (root.host === name) return 'culprit';
  const end = (flows: string[], side: 'src' | 'dst') => flows.some((flow) => hosts.get(parseFlow(flow)?.[side] ?? '') === name);
  // The flows at the port of a misconfiguration are no culprits.
  const culprits = root.config.length > 0 ? [] : root.flows;
  if (end(culprits, 'src')) return 'sends a culprit flow';
  if (end(incident.victims, 'src')) return 'sends a victim';
  if (end(culprits, 'dst')) return 'receives a culprit flow';
  return end(incident.victims, 'dst') ? 'receives a victim' : null;
}

/** A daemon that reports about a node, with what it reports about it. */
export interface NodeDaemon {
  daemon: Daemon;
  problems: HealthProblem[];
}

/** The daemons on a node or responsible for it: its agent, or controllers that name it. */
export function nodeDaemons(daemons: Daemon[], name: string): NodeDaemon[] {
  return daemons.flatMap((daemon) => {
    const isOwn = daemon.name === name;
    const concerns = ({ subject }: HealthProblem) => subject === name || splitPort(subject).node === name;
    const problems = reported(daemon).filter((problem) => isOwn || concerns(problem));
    const isNeighbour = (daemon.neighbours ?? []).some(({ port }) => splitPort(port).node === name);
    return isOwn || isNeighbour || problems.length > 0 ? [{ daemon, problems }] : [];
  });
}
