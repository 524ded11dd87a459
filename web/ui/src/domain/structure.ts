// The structure of a network, from its links alone: tiers, pods, and groups of switches that a map can collapse. Names
// play no role, except that groups are in the natural order of their first switch.

import { splitPort } from './flow';
import { natural } from './format';
import type { Topology } from './types';

export interface Group {
  /** Name of the node that represents the collapsed group; no node of a topology contains a space. */
  id: string;
  /** First and last switch, or the only one. */
  label: string;
  /** The number that the map shows where the label has no room, from 1 on. */
  number: number;
  /** Part of the top tier, which connects the pods. */
  isTop: boolean;
  switches: string[];
  /** The hosts of these switches. */
  hosts: string[];
}

export interface Structure {
  /** A host's tier is 0, a switch's its distance to the nearest host. */
  tiers: Map<string, number>;
  /** The highest tier. */
  top: number;
  /** Neighbours of each node, one for each link. */
  graph: Map<string, string[]>;
  /** Groups of switches that are connected without the top tier. */
  pods: string[][];
  /** Groups that the map can collapse; empty for a network that one screen shows. */
  groups: Group[];
  /** The group of each switch and of each host. */
  groupOf: Map<string, Group>;
}

/** Above this number of switches, groups are collapsed: each would have less than ten pixels of a screen. */
export const COLLAPSE_ABOVE = 100;
/** Maximum number of groups of each part: a screen has room for the numbers of so many. */
export const GROUPS_MOST = 32;

/** Computes tiers, pods and groups of `topology`. */
export function structureOf(topology: Topology): Structure {
  const graph = neighbours(topology);
  const tiers = tiersOf(topology, graph);
  const top = Math.max(0, ...tiers.values());
  const pods = podsOf(tiers, graph, top);
  const switches = topology.nodes.length - topology.nodes.filter(({ kind }) => kind === 'host').length;
  const groups = switches > COLLAPSE_ABOVE ? groupsOf(tiers, graph, top, pods) : [];
  const groupOf = new Map(groups.flatMap((group) => [...group.switches, ...group.hosts].map((name) => [name, group] as const)));
  return { tiers, top, graph, pods, groups, groupOf };
}

function neighbours(topology: Topology): Map<string, string[]> {
  const graph = new Map<string, string[]>(topology.nodes.map((node) => [node.name, []]));
  for (const link of topology.links) {
    const a = splitPort(link.a).node;
    const b = splitPort(link.b).node;
    graph.get(a)?.push(b);
    graph.get(b)?.push(a);
  }
  return graph;
}

/** Breadth first from the hosts; a switch without a path to a host is placed with the leaves. */
function tiersOf(topology: Topology, graph: Map<string, string[]>): Map<string, number> {
  const tiers = new Map<string, number>();
  let edge = topology.nodes.filter((node) => node.kind === 'host').map((node) => node.name);
  for (const name of edge) tiers.set(name, 0);
  for (let tier = 1; edge.length > 0; tier += 1) {
    const next: string[] = [];
    for (const name of edge) {
      for (const peer of graph.get(name) ?? []) {
        if (!tiers.has(peer)) {
          tiers.set(peer, tier);
          next.push(peer);
        }
      }
    }
    edge = next;
  }
  for (const node of topology.nodes) if (!tiers.has(node.name)) tiers.set(node.name, 1);
  return tiers;
}

/** Connected components below the top tier, in the order of their first name. */
function podsOf(tiers: Map<string, number>, graph: Map<string, string[]>, top: number): string[][] {
  const isLower = (tier: number) => tier > 0 && (tier < top || top <= 1);
  const lower = [...tiers].filter(([, tier]) => isLower(tier)).map(([name]) => name);
  const seen = new Set<string>();
  const pods: string[][] = [];
  for (const first of lower.sort(natural)) {
    if (seen.has(first)) continue;
    const pod: string[] = [];
    const queue = [first];
    seen.add(first);
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      pod.push(name);
      for (const peer of graph.get(name) ?? []) {
        if (isLower(tiers.get(peer) ?? 0) && !seen.has(peer)) {
          seen.add(peer);
          queue.push(peer);
        }
      }
    }
    pods.push(pod.sort(natural));
  }
  return pods;
}

/** The pods, and the switches of the top tier by what they connect; small neighbours are one group. */
function groupsOf(tiers: Map<string, number>, graph: Map<string, string[]>, top: number, pods: string[][]): Group[] {
  const topSwitches = top > 1 ? [...tiers].filter(([, tier]) => tier === top).map(([name]) => name).sort(natural) : [];
  const alike = new Map<string, string[]>();
  for (const name of topSwitches) {
    const key = [...new Set(graph.get(name))].sort().join(' ');
    alike.set(key, [...(alike.get(key) ?? []), name]);
  }
  const hostsOf = (switches: string[]) => [
    ...new Set(switches.flatMap((name) => (graph.get(name) ?? []).filter((peer) => tiers.get(peer) === 0))),
  ];
  // A host with two leaves belongs to the first group.
  const taken = new Set<string>();
  const group = (isTop: boolean) => (switches: string[], index: number): Group => {
    const hosts = hostsOf(switches).filter((host) => !taken.has(host));
    for (const host of hosts) taken.add(host);
    const [first = '', last = ''] = [switches[0], switches.at(-1)];
    const label = switches.length > 1 ? `${first} – ${last}` : first;
    return { id: `${isTop ? 'top' : 'pod'} ${index + 1}`, label, number: index + 1, isTop, switches, hosts };
  };
  return [...joined(pods).map(group(false)), ...joined([...alike.values()]).map(group(true))];
}

/** At most `GROUPS_MOST` lists; neighbours are joined evenly. */
function joined(lists: string[][]): string[][] {
  const size = Math.ceil(lists.length / GROUPS_MOST);
  if (size <= 1) return lists;
  return Array.from({ length: Math.ceil(lists.length / size) }, (_, index) => lists.slice(index * size, (index + 1) * size).flat());
}
