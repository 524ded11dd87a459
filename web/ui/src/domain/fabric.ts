// The layout of a network: by tier, pod and index, deterministic and in linear time. A Clos network has a known order,
// so no force-directed or generic graph layout is needed.

import { splitPort } from './flow';
import { natural } from './format';
import { labelScale } from './labels';
import { type Group, type Structure, structureOf } from './structure';
import type { Port, Topology } from './types';

export interface PlacedNode {
  name: string;
  kind: 'host' | 'switch';
  /** 0 for hosts, 1 for switches with hosts, and so on towards the core. */
  tier: number;
  x: number;
  y: number;
  /** The node stands for a collapsed group of switches. */
  group?: Group;
}

export interface PlacedLink {
  a: Port;
  b: Port;
  /** In bits per second, of one link. */
  rate: number;
  /** The links of the topology that it stands for: more than one between collapsed groups. */
  count: number;
  from: PlacedNode;
  to: PlacedNode;
  /** Offset of the link's middle: parallel links and links within a tier are bent. */
  bend: number;
}

/** The frame around an opened group. */
export interface Frame {
  group: Group;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Fabric {
  nodes: PlacedNode[];
  links: PlacedLink[];
  byName: Map<string, PlacedNode>;
  /** The link of each port, and whether the port is its `a` end. Links inside a collapsed group have none. */
  byPort: Map<Port, { link: PlacedLink; atA: boolean }>;
  /** The opened groups, for their frames. */
  opened: Frame[];
  width: number;
  height: number;
  /** There are too many nodes to label each on the map. */
  dense: boolean;
  /** Scale of symbols: 1 if each has room for a label. */
  symbol: number;
}

const HOST_GAP = 66;
const HOST_GAP_DENSE = 16;
/** Distance of neighbouring switches at full size. */
export const SWITCH_GAP = 104;
const POD_GAP = 44;
const TIER_HEIGHT = 118;
const HOST_DROP = 96;
const HOST_ROW = 18;
const MARGIN = 44;
/** Room for the label of a node at the upper or lower edge of a dense map. */
const MARGIN_DENSE = 32;
/** Half the width of a collapsed group at full size. */
const GROUP_HALF = 48;
/** Above this number, hosts are dots in a grid below their switch. */
const NAMED_HOSTS = 48;

/** A topology as it is drawn: every group that is not open is one node. */
interface Drawn {
  nodes: { name: string; tier: number; group?: Group }[];
  links: { a: Port; b: Port; from: string; to: string; rate: number; count: number }[];
  /** By port, the index of its link and whether the port is its `a` end. */
  ends: Map<Port, { index: number; atA: boolean }>;
  pods: string[][];
  /** The hosts of each leaf. */
  hostsOf: (leaf: string) => string[];
}

/** Computes the position of every node of `topology`. Groups of `structure` are collapsed unless they are in `open`. */
export function layFabric(
  topology: Topology,
  structure: Structure = structureOf(topology),
  open: ReadonlySet<string> = new Set(),
): Fabric {
  const drawn = drawnTopology(topology, structure, open);
  const top = structure.top;
  const tiers = new Map(drawn.nodes.map(({ name, tier }) => [name, tier]));
  const groups = new Map(drawn.nodes.flatMap(({ name, group }) => (group ? [[name, group] as const] : [])));
  const hostCount = drawn.nodes.filter(({ tier }) => tier === 0).length;
  const dense = hostCount > NAMED_HOSTS || structure.groups.length > 0;
  const byName = new Map<string, PlacedNode>();
  const place = (name: string, x: number, y: number) => {
    const kind = tiers.get(name) === 0 ? 'host' : 'switch';
    const group = groups.get(name);
    byName.set(name, { name, kind, tier: tiers.get(name) ?? 1, x, y, ...(group ? { group } : {}) });
  };
  const tierY = (tier: number) => MARGIN + (top - tier) * TIER_HEIGHT;

  let cursor = MARGIN;
  for (const pod of drawn.pods) {
    const start = cursor;
    const leaves = pod.filter((name) => tiers.get(name) === 1);
    for (const leaf of leaves) {
      const hosts = drawn.hostsOf(leaf).filter((name) => !byName.has(name));
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
    cursor += groups.has(pod[0] ?? '') ? 0 : POD_GAP;
  }
  const used = Math.max(cursor - POD_GAP, MARGIN + SWITCH_GAP);
  const core = [...tiers.keys()].filter((name) => !byName.has(name)).sort(natural);
  const coreWidth = Math.max(used - MARGIN, core.length * SWITCH_GAP);
  spread(core, MARGIN, coreWidth).forEach(([name, x]) => place(name, x, tierY(tiers.get(name) ?? top)));

  const nodes = drawn.nodes.flatMap((node) => byName.get(node.name) ?? []);
  const links = placeLinks(drawn, byName);
  const width = Math.max(...nodes.map((node) => node.x), MARGIN) + MARGIN;
  const height = Math.max(...nodes.map((node) => node.y), MARGIN) + MARGIN;
  const opened = structure.groups.filter(({ id }) => open.has(id)).map((group) => ({ group, left: 0, top: 0, right: 0, bottom: 0 }));
  const flat = { nodes, links, byName, byPort: endsOf(drawn.ends, links), opened, width, height, dense, symbol: 1 };
  return stretched(flat, 1, 1, MARGIN, 1);
}

/** Replaces every collapsed group by one node, and the links of two drawn nodes by one if either is a group. */
function drawnTopology(topology: Topology, structure: Structure, open: ReadonlySet<string>): Drawn {
  const { tiers, top, groups, groupOf } = structure;
  const nameOf = (node: string) => {
    const group = groupOf.get(node);
    return group && !open.has(group.id) ? group.id : node;
  };
  const collapsed = groups.filter(({ id }) => !open.has(id));
  const nodes = [
    ...topology.nodes.filter(({ name }) => nameOf(name) === name).map(({ name }) => ({ name, tier: tiers.get(name) ?? 1 })),
    ...collapsed.map((group) => ({ name: group.id, tier: group.isTop ? top : 1, group })),
  ];
  const isGroup = new Set(collapsed.map(({ id }) => id));
  const links: Drawn['links'] = [];
  const ends: Drawn['ends'] = new Map();
  const bundles = new Map<string, number>();
  for (const { a, b, rate } of topology.links) {
    const [from, to] = [nameOf(splitPort(a).node), nameOf(splitPort(b).node)];
    if (from === to) continue;
    const key = isGroup.has(from) || isGroup.has(to) ? [from, to].sort().join('|') : null;
    const known = key === null ? undefined : bundles.get(key);
    const index = known ?? links.length;
    const bundle = links[index];
    if (bundle) bundle.count += 1;
    else links.push({ a, b, from, to, rate, count: 1 });
    if (key !== null) bundles.set(key, index);
    const isReversed = links[index]?.from !== from;
    ends.set(a, { index, atA: !isReversed }).set(b, { index, atA: isReversed });
  }
  // A group of several pods that is opened has its pods side by side.
  const pods = groups.length === 0
    ? structure.pods
    : groups.filter(({ isTop }) => !isTop).map((group) => (open.has(group.id) ? group.switches : [group.id]));
  const hostsOf = (leaf: string) => (structure.graph.get(leaf) ?? []).filter((name) => tiers.get(name) === 0 && nameOf(name) === name).sort(natural);
  return { nodes, links, ends, pods, hostsOf };
}

function spread(names: string[], left: number, width: number): [string, number][] {
  const sorted = [...names].sort(natural);
  return sorted.map((name, index) => [name, left + ((index + 0.5) * width) / sorted.length]);
}

function placeLinks(drawn: Drawn, byName: Map<string, PlacedNode>): PlacedLink[] {
  const parallel = new Map<string, number>();
  return drawn.links.flatMap((link) => {
    const from = byName.get(link.from);
    const to = byName.get(link.to);
    if (!from || !to) return [];
    const pair = [from.name, to.name].sort().join('|');
    const index = parallel.get(pair) ?? 0;
    parallel.set(pair, index + 1);
    const side = index % 2 === 0 ? 1 : -1;
    const inTier = from.tier === to.tier ? Math.min(70, 18 + Math.abs(from.x - to.x) / 6) : 0;
    const bend = inTier + side * Math.ceil(index / 2) * 14;
    return [{ a: link.a, b: link.b, rate: link.rate, count: link.count, from, to, bend }];
  });
}

/** Maximum stretch of a small network to use the available space. */
const STRETCH_X = 2;
const STRETCH_Y = 1.9;
/** Maximum compression of the distance between tiers before everything is scaled down. */
const SQUEEZE_Y = 0.66;

/** Minimum scale of symbols. */
const SYMBOL_LEAST = 0.1;

/** Distance of the highest arc from the edge of the picture: half of the band that marks a hop, and the lines at its edge. */
const ARC_CLEARANCE = 20;

/** The room above the uppermost nodes: links within a tier are arcs above it. */
function headroom(fabric: Fabric, scaleY: number): number {
  let highest = 0;
  for (const { from, to, bend } of fabric.links) highest = Math.max(highest, bend - ((from.y + to.y) / 2 - MARGIN) * scaleY);
  return Math.max(fabric.dense ? MARGIN_DENSE : MARGIN, highest + ARC_CLEARANCE);
}

/** The network with its positions stretched to this size in pixels. Symbols and texts of a small fabric keep
 * their size; a dense one is pressed into the room, with smaller symbols. */
export function fitFabric(fabric: Fabric, roomWidth: number, roomHeight: number): Fabric {
  if (roomWidth <= 0 || roomHeight <= 0) return fabric;
  const sx = Math.min(STRETCH_X, Math.max(fabric.dense ? 0 : 1, roomWidth / fabric.width));
  // A picture that is wider than the room is shown smaller as a whole, and so may be higher.
  const shown = fabric.dense ? 1 : Math.min(1, roomWidth / fabric.width);
  const sy = Math.min(STRETCH_Y / shown, Math.max(fabric.dense ? 0 : SQUEEZE_Y, roomHeight / shown / fabric.height));
  const symbol = fabric.dense ? Math.min(1, Math.max(SYMBOL_LEAST, sx)) : 1;
  const label = labelScale(symbol, 1, shown);
  const margin = fabric.dense ? Math.min(MARGIN, Math.max(roomWidth * 0.016, GROUP_HALF * symbol + 4)) : Math.max(MARGIN, NAME_HALF * label);
  const bottom = fabric.dense ? MARGIN_DENSE : Math.max(MARGIN, HOST_NAME + NAME_HEIGHT * label);
  return stretched(fabric, sx, sy, margin, symbol, bottom);
}

/** Room below a host for its name: to the name, and its height at full size. */
const HOST_NAME = 16;
const NAME_HEIGHT = 15;
/** Half the width of a name beyond the outermost node. */
const NAME_HALF = 28;

/**
 * The network with both axes scaled; `margin` is left at the sides, `bottom` below the hosts, and above the arcs as much
 * as they need.
 */
function stretched(fabric: Fabric, sx: number, sy: number, margin: number, symbol: number, bottom = fabric.dense ? MARGIN_DENSE : MARGIN): Fabric {
  const width = fabric.width * sx;
  const top = headroom(fabric, sy);
  // A picture that is as high as its nodes grows by what its arcs need beyond the margin.
  const least = fabric.dense ? top + 2 * MARGIN_DENSE : fabric.height * SQUEEZE_Y + top - MARGIN;
  const height = Math.max(fabric.height * sy, least);
  const inside = (size: number) => Math.max(1, size - 2 * MARGIN);
  const scaleX = (width - 2 * margin) / inside(fabric.width);
  const scaleY = Math.max(0.1, (height - top - bottom) / inside(fabric.height));
  const byName = new Map(
    fabric.nodes.map((node) => [
      node.name,
      { ...node, x: margin + (node.x - MARGIN) * scaleX, y: top + (node.y - MARGIN) * scaleY },
    ]),
  );
  const moved = new Map(
    fabric.links.map((link) => [
      link,
      { ...link, from: byName.get(link.from.name) ?? link.from, to: byName.get(link.to.name) ?? link.to },
    ]),
  );
  const byPort = new Map([...fabric.byPort].map(([port, { link, atA }]) => [port, { link: moved.get(link) ?? link, atA }]));
  const opened = framed(fabric.opened, byName, symbol);
  return { ...fabric, nodes: [...byName.values()], links: [...moved.values()], byName, byPort, opened, width, height, symbol };
}

function endsOf(ends: Drawn['ends'], links: PlacedLink[]): Fabric['byPort'] {
  return new Map([...ends].flatMap(([port, { index, atA }]) => {
    const link = links[index];
    return link ? [[port, { link, atA }] as const] : [];
  }));
}

/** The frames of the opened groups: their nodes with some room around them. */
function framed(opened: Frame[], byName: Map<string, PlacedNode>, symbol: number): Frame[] {
  const room = Math.max(8, 46 * symbol);
  return opened.map(({ group }) => {
    const nodes = [...group.switches, ...group.hosts].flatMap((name) => byName.get(name) ?? []);
    const [xs, ys] = [nodes.map(({ x }) => x), nodes.map(({ y }) => y)];
    const [left, right] = [Math.min(...xs) - room, Math.max(...xs) + room];
    return { group, left, right, top: Math.min(...ys) - room / 2 - 8, bottom: Math.max(...ys) + room / 2 };
  });
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
