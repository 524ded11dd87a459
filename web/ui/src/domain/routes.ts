// The links of a flow's path: as the diagnosis states it or, in older ones, from the evidence, and shortest paths where
// there is no record.

import { parseFlow, splitPort } from './flow';
import type { Diagnosis, Flow, FlowPath, Port, Topology } from './types';

export interface Step {
  /** The egress port of the flow at a node. */
  port: Port;
  /** Assumed: there is no record, and the flow may have taken another shortest path. */
  assumed: boolean;
}

/** The egress ports of a flow from its sender on; empty if its ends are not hosts of the topology. */
export function routeOf(flow: Flow, topology: Topology, diagnosis: Diagnosis | null): Step[] {
  const parts = parseFlow(flow);
  const host = (address: string) =>
    topology.nodes.find((node) => node.kind === 'host' && node.addresses?.includes(address))?.name;
  const from = parts ? host(parts.src) : undefined;
  const to = parts ? host(parts.dst) : undefined;
  if (!from || !to || from === to) return [];
  const stated = diagnosis?.paths?.find((path) => path.flow === flow && path.role !== 'acks');
  if (stated) return statedRoute(stated, from, topology);
  const network = { next: nextHops(topology, to), peers: peersOf(topology), from, to };
  const recorded = recordedEgress(flow, network.peers, diagnosis);
  const paused = flow === diagnosis?.victim ? diagnosis.pause_path[0] : undefined;
  if (paused === undefined || recorded.has(splitPort(paused).node)) return follow(network, recorded, new Map());
  // A paused victim crosses the first port of its pause path, or the port's peer if the pause delays its ACKs. With
  // static routes that port may lie off the shortest paths.
  const at = new Map([[splitPort(paused).node, paused]]);
  const shortest = follow(network, recorded, at);
  const crosses = (step: Step) => step.port === paused || step.port === network.peers.get(paused);
  if (shortest.some(crosses)) return shortest;
  const around = follow(network, new Map([...recorded, ...at]), new Map());
  return around.some(crosses) ? around : shortest;
}

/** The egress ports of the victim's ACKs from its receiver on; empty unless they are what is delayed. */
export function ackRoute(topology: Topology, diagnosis: Diagnosis): Step[] {
  const stated = diagnosis.paths?.find((path) => path.role === 'acks');
  const receiver = parseFlow(diagnosis.victim ?? '')?.dst;
  const from = topology.nodes.find((node) => receiver !== undefined && node.addresses?.includes(receiver))?.name;
  return stated && from !== undefined ? statedRoute(stated, from, topology) : [];
}

/** A path of the diagnosis, from the sender on: its hops may begin at the first switch. */
function statedRoute({ hops }: FlowPath, from: string, topology: Topology): Step[] {
  const steps = hops.map(({ port, known }) => ({ port, assumed: known === 'assumed' }));
  const [first] = steps;
  if (!first || splitPort(first.port).node === from) return steps;
  const peers = peersOf(topology);
  const isUplink = (own: Port) => splitPort(own).node === from && splitPort(peers.get(own) ?? '').node === splitPort(first.port).node;
  const uplink = [...peers.keys()].find(isUplink);
  return uplink ? [{ port: uplink, assumed: false }, ...steps] : steps;
}

interface Network {
  next: Map<string, Hop[]>;
  peers: Map<Port, Port>;
  from: string;
  to: string;
}

/** Follows recorded ports, and shortest paths between them, those that cross most of the recorded and likely ports. */
function follow(network: Network, recorded: Map<string, Port>, likely: Map<string, Port>): Step[] {
  const { next, peers, from, to } = network;
  const best = likeliestHops(next, peers, new Map([...likely, ...recorded]), to);
  const steps: Step[] = [];
  const visited = new Set<string>();
  // The nodes that the flow may be at.
  let possible = new Set([from]);
  for (let node = from; node !== to; ) {
    if (visited.has(node)) return steps;
    visited.add(node);
    const choices = best.get(node) ?? [];
    const expected = likely.get(node);
    const seen = recorded.get(node) ?? (expected !== undefined && choices.includes(expected) ? expected : undefined);
    const port = seen ?? choices[0];
    const peer = port === undefined ? undefined : peers.get(port);
    if (port === undefined || peer === undefined) return steps;
    steps.push({ port, assumed: seen === undefined && (possible.size > 1 || choices.length > 1) });
    const onwards = [...possible].flatMap((name) => best.get(name) ?? []).map((hop) => splitPort(peers.get(hop) ?? '').node);
    possible = new Set(seen === undefined ? onwards : [splitPort(peer).node]);
    node = splitPort(peer).node;
  }
  return steps;
}

/** By node, those of its ports on shortest paths from which a path crosses most of the recorded ports. */
function likeliestHops(
  next: Map<string, Hop[]>,
  peers: Map<Port, Port>,
  recorded: Map<string, Port>,
  to: string,
): Map<string, Port[]> {
  const best = new Map<string, Port[]>();
  const crossed = new Map([[to, 0]]);
  // `next` is in the order of the distance to the receiver: the peer of each port is known already.
  for (const [node, hops] of next) {
    const scored = hops.map(({ port }) => ({
      port,
      score: (crossed.get(splitPort(peers.get(port) ?? '').node) ?? 0) + Number(recorded.get(node) === port),
    }));
    const most = Math.max(...scored.map(({ score }) => score));
    crossed.set(node, most);
    best.set(node, scored.filter(({ score }) => score === most).map(({ port }) => port));
  }
  return best;
}

function peersOf(topology: Topology): Map<Port, Port> {
  return new Map(topology.links.flatMap(({ a, b }): [Port, Port][] => [[a, b], [b, a]]));
}

/** By node, the egress port of the flow's recorded packets: of the record's switch, and of the node before it. */
function recordedEgress(flow: Flow, peers: Map<Port, Port>, diagnosis: Diagnosis | null): Map<string, Port> {
  const egress = new Map<string, Port>();
  for (const evidence of diagnosis?.evidence ?? []) {
    for (const record of evidence.records) {
      if (record.kind !== 'flow' || record.flow !== flow || !evidence.switch) continue;
      egress.set(evidence.switch, `${evidence.switch}:${record.egress_port}`);
      const before = record.ingress_port === null ? undefined : peers.get(`${evidence.switch}:${record.ingress_port}`);
      if (before !== undefined) egress.set(splitPort(before).node, before);
    }
  }
  return egress;
}

interface Hop {
  port: Port;
  node: string;
}

/** For every node the ports on a shortest path to `host`, in port order. Hosts do not forward. */
function nextHops(topology: Topology, host: string): Map<string, Hop[]> {
  const isHost = new Set(topology.nodes.filter((node) => node.kind === 'host').map((node) => node.name));
  const links = new Map<string, { own: Port; peer: Port }[]>();
  for (const { a, b } of topology.links) {
    for (const [own, peer] of [[a, b], [b, a]] as const) {
      const node = splitPort(own).node;
      links.set(node, [...(links.get(node) ?? []), { own, peer }]);
    }
  }
  const distance = new Map([[host, 0]]);
  const next = new Map<string, Hop[]>();
  const queue = [host];
  for (let index = 0; index < queue.length; index += 1) {
    const node = queue[index] ?? '';
    if (isHost.has(node) && node !== host) continue;
    const hops = (distance.get(node) ?? 0) + 1;
    for (const { peer } of links.get(node) ?? []) {
      const name = splitPort(peer).node;
      if (!distance.has(name)) {
        distance.set(name, hops);
        queue.push(name);
      }
      if (distance.get(name) === hops) next.set(name, [...(next.get(name) ?? []), { port: peer, node }]);
    }
  }
  for (const hops of next.values()) {
    hops.sort((a, b) => Number(splitPort(a.port).number) - Number(splitPort(b.port).number));
  }
  return next;
}
