// The layout of a network: by tier, pod and index, deterministic and in linear time. A Clos network has a known order,
// so no force-directed or generic graph layout is needed.

import { splitPort } from './flow';
import { natural } from './format';
import type { Port, Topology } from './types';

export interface PlacedNode {
  name: string;
  kind: 'host' | 'switch';
  /** 0 for hosts, 1 for switches with hosts, and so on towards the core. */
  tier: number;
  x: number;
  y: number;
}

export interface PlacedLink {
  a: Port;
  b: Port;
  rate: number;
  from: PlacedNode;
  to: PlacedNode;
  /** Offset of the link's middle: parallel links and links within a tier are bent. */
  bend: number;
}

export interface Fabric {
  nodes: PlacedNode[];
  links: PlacedLink[];
  byName: Map<string, PlacedNode>;
  /** The link of each port, and whether the port is its `a` end. */
  byPort: Map<Port, { link: PlacedLink; atA: boolean }>;
  width: number;
  height: number;
  /** There are too many nodes to label each on the map. */
  dense: boolean;
  /** Scale of symbols: 1 if each has room for a label. */
  symbol: number;
}

const HOST_GAP = 66;
const HOST_GAP_DENSE = 16;
const SWITCH_GAP = 104;
const POD_GAP = 44;
const TIER_HEIGHT = 118;
const HOST_DROP = 96;
const HOST_ROW = 18;
const MARGIN = 44;
/** Above this number, hosts are dots in a grid below their switch. */
const NAMED_HOSTS = 48;

/** Computes the position of every node of `topology`. */
export function layFabric(topology: Topology): Fabric {
  const graph = neighbours(topology);
  const tiers = tiersOf(topology, graph);
  const top = Math.max(0, ...tiers.values());
  const hostCount = topology.nodes.filter((node) => node.kind === 'host').length;
  const dense = hostCount > NAMED_HOSTS;
  const byName = new Map<string, PlacedNode>();
  const place = (name: string, x: number, y: number) => {
    const kind = tiers.get(name) === 0 ? 'host' : 'switch';
    byName.set(name, { name, kind, tier: tiers.get(name) ?? 1, x, y });
  };
  const tierY = (tier: number) => MARGIN + (top - tier) * TIER_HEIGHT;

  let cursor = MARGIN;
  for (const pod of podsOf(tiers, graph, top)) {
    const start = cursor;
    const leaves = pod.filter((name) => tiers.get(name) === 1);
    for (const leaf of leaves) {
      const hosts = (graph.get(leaf) ?? []).filter((name) => tiers.get(name) === 0 && !byName.has(name)).sort(natural);
      const columns = dense ? Math.ceil(Math.sqrt(hosts.length)) : hosts.length;
      const gap = dense ? HOST_GAP_DENSE : HOST_GAP;
      const width = Math.max(SWITCH_GAP, columns * gap);
      const left = cursor + (width - (columns - 1) * gap) / 2;
      hosts.forEach((host, index) => {
        const row = Math.floor(index / Math.max(1, columns));
        place(host, left + (index % Math.max(1, columns)) * gap, tierY(1) + HOST_DROP + row * HOST_ROW);
      });
      place(leaf, cursor + width / 2, tierY(1));
      cursor += width;
    }
    for (let tier = 2; tier < top || (tier === top && top > 1 && leaves.length === 0); tier += 1) {
      const members = pod.filter((name) => tiers.get(name) === tier);
      const width = Math.max(cursor - start, members.length * SWITCH_GAP);
      spread(members, start, width).forEach(([name, x]) => place(name, x, tierY(tier)));
      cursor = start + width;
    }
    cursor += POD_GAP;
  }
  const used = Math.max(cursor - POD_GAP, MARGIN + SWITCH_GAP);
  const core = [...tiers.keys()].filter((name) => !byName.has(name)).sort(natural);
  const coreWidth = Math.max(used - MARGIN, core.length * SWITCH_GAP);
  spread(core, MARGIN, coreWidth).forEach(([name, x]) => place(name, x, tierY(tiers.get(name) ?? top)));

  const nodes = topology.nodes.flatMap((node) => byName.get(node.name) ?? []);
  const links = placeLinks(topology, byName);
  const width = Math.max(...nodes.map((node) => node.x), MARGIN) + MARGIN;
  const height = Math.max(...nodes.map((node) => node.y), MARGIN) + MARGIN;
  const flat = { nodes, links, byName, byPort: portsOf(links), width, height, dense, symbol: 1 };
  return stretched(flat, 1, 1, MARGIN, 1);
}

function spread(names: string[], left: number, width: number): [string, number][] {
  const sorted = [...names].sort(natural);
  return sorted.map((name, index) => [name, left + ((index + 0.5) * width) / sorted.length]);
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

/** A host's tier is 0, a switch's its distance to the nearest host; a switch without a path to a host is placed with the leaves. */
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

/** Groups of switches that are connected without the top tier, in the order of their first name. */
function podsOf(tiers: Map<string, number>, graph: Map<string, string[]>, top: number): string[][] {
  const lower = [...tiers].filter(([, tier]) => tier > 0 && (tier < top || top <= 1)).map(([name]) => name);
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
        const tier = tiers.get(peer) ?? 0;
        if (tier > 0 && (tier < top || top <= 1) && !seen.has(peer)) {
          seen.add(peer);
          queue.push(peer);
        }
      }
    }
    pods.push(pod.sort(natural));
  }
  return pods;
}

function placeLinks(topology: Topology, byName: Map<string, PlacedNode>): PlacedLink[] {
  const parallel = new Map<string, number>();
  return topology.links.flatMap((link) => {
    const from = byName.get(splitPort(link.a).node);
    const to = byName.get(splitPort(link.b).node);
    if (!from || !to) return [];
    const pair = [from.name, to.name].sort().join(' ');
    const index = parallel.get(pair) ?? 0;
    parallel.set(pair, index + 1);
    const side = index % 2 === 0 ? 1 : -1;
    const inTier = from.tier === to.tier ? Math.min(70, 18 + Math.abs(from.x - to.x) / 6) : 0;
    const bend = inTier + side * Math.ceil(index / 2) * 14;
    return [{ a: link.a, b: link.b, rate: link.rate, from, to, bend }];
  });
}

/** Maximum stretch of a small network to use the available space. */
const STRETCH_X = 2;
const STRETCH_Y = 1.9;
/** Maximum compression of the distance between tiers before everything is scaled down. */
const SQUEEZE_Y = 0.66;

/** Minimum scale of symbols. */
const SYMBOL_LEAST = 0.1;

/** Distance of the highest arc from the edge of the picture. */
const ARC_CLEARANCE = 14;

/** The room above the uppermost nodes: links within a tier are arcs above it. */
function headroom(fabric: Fabric, scaleY: number): number {
  const tops = fabric.links.map(({ from, to, bend }) => bend - ((from.y + to.y) / 2 - MARGIN) * scaleY);
  return Math.max(MARGIN, Math.max(0, ...tops) + ARC_CLEARANCE);
}

/** The network with its positions stretched to this size in pixels. Symbols and texts of a small fabric keep
 * their size; a dense one is pressed into the room, with smaller symbols. */
export function fitFabric(fabric: Fabric, roomWidth: number, roomHeight: number): Fabric {
  if (roomWidth <= 0 || roomHeight <= 0) return fabric;
  const sx = Math.min(STRETCH_X, Math.max(fabric.dense ? 0 : 1, roomWidth / fabric.width));
  const sy = Math.min(STRETCH_Y, Math.max(fabric.dense ? 0 : SQUEEZE_Y, roomHeight / fabric.height));
  const symbol = fabric.dense ? Math.min(1, Math.max(SYMBOL_LEAST, sx)) : 1;
  const margin = fabric.dense ? Math.min(MARGIN, roomWidth * 0.016) : MARGIN;
  return stretched(fabric, sx, sy, margin, symbol);
}

/** The network with both axes scaled; `margin` is left at the sides, and above the arcs as much as they need. */
function stretched(fabric: Fabric, sx: number, sy: number, margin: number, symbol: number): Fabric {
  const width = fabric.width * sx;
  const top = headroom(fabric, sy);
  // A picture that is as high as its nodes grows by what its arcs need beyond the margin.
  const height = Math.max(fabric.height * sy, fabric.height * SQUEEZE_Y + top - MARGIN);
  const inside = (size: number) => Math.max(1, size - 2 * MARGIN);
  const scaleX = (width - 2 * margin) / inside(fabric.width);
  const scaleY = Math.max(0.1, (height - top - MARGIN) / inside(fabric.height));
  const byName = new Map(
    fabric.nodes.map((node) => [
      node.name,
      { ...node, x: margin + (node.x - MARGIN) * scaleX, y: top + (node.y - MARGIN) * scaleY },
    ]),
  );
  const links = fabric.links.map((link) => ({
    ...link,
    from: byName.get(link.from.name) ?? link.from,
    to: byName.get(link.to.name) ?? link.to,
  }));
  return { ...fabric, nodes: [...byName.values()], links, byName, byPort: portsOf(links), width, height, symbol };
}

function portsOf(links: PlacedLink[]): Map<Port, { link: PlacedLink; atA: boolean }> {
  const byPort = new Map<Port, { link: PlacedLink; atA: boolean }>();
  for (const link of links) {
    byPort.set(link.a, { link, atA: true });
    byPort.set(link.b, { link, atA: false });
  }
  return byPort;
}

export interface Point {
  x: number;
  y: number;
}

/** A point on a link: `t` is 0 at its `a` end and 1 at its `b` end; `offset` moves it sideways. */
export function pointOn(link: PlacedLink, t: number, offset = 0): Point {
  const { from, to } = link;
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const length = Math.hypot(dx, dy) || 1;
  const control = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 - link.bend * 2 };
  const u = 1 - t;
  const x = u * u * from.x + 2 * u * t * control.x + t * t * to.x;
  const y = u * u * from.y + 2 * u * t * control.y + t * t * to.y;
  return { x: x - (dy / length) * offset, y: y + (dx / length) * offset };
}

/** The part of a link between two points, as an SVG path. */
export function linkPath(link: PlacedLink, start = 0, end = 1, offset = 0): string {
  const steps = link.bend === 0 ? 1 : 12;
  const points = Array.from({ length: steps + 1 }, (_, step) =>
    pointOn(link, start + ((end - start) * step) / steps, offset),
  );
  return `M${points.map((p) => `${p.x.toFixed(1)} ${p.y.toFixed(1)}`).join('L')}`;
}
