// The layout of the provenance graph: dagre places the nodes, and switches are boxes around their ports.

import dagre from '@dagrejs/dagre';
import { placeLabels } from './edgeLabels';
import { shortFlow, shortName, splitPort } from './flow';
import { lossName, weight } from './format';
import { flowRole, portRole } from './roles';
import type { Diagnosis, EdgeKind, ProvenanceGraph } from './types';

export interface GraphNode {
  index: number;
  kind: 'port' | 'flow' | 'host' | 'finding' | 'loss';
  id: string;
  label: string;
  /** `root`, `paused`, `loop`, `other` for ports; a flow's role; `culprit` for a host, a finding and a loss. */
  role: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface GraphEdge {
  index: number;
  from: number;
  to: number;
  kind: EdgeKind;
  weight: number;
  /** 1 to 5. */
  thickness: number;
  path: string;
  /** Through which the path is drawn. */
  points: { x: number; y: number }[];
  labelX: number;
  labelY: number;
}

export interface GraphGroup {
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface GraphLayout {
  nodes: GraphNode[];
  edges: GraphEdge[];
  groups: GraphGroup[];
  /** The frame of everything: nodes, groups, edges and their labels. */
  left: number;
  top: number;
  width: number;
  height: number;
}

const CHARACTER = 7.3;
const NODE_HEIGHT = 30;
const ARROW = 10;
const GROUP_PAD = 12;
const GROUP_HEAD = 20;
/** Around everything; at least half of the width of the thickest edge. */
const FRAME_PAD = 8;
/** More than all edges of flows at a port together. */
const PATH_WEIGHT = 1000;

/** Places the nodes of `graph` so that wait-for edges point from left to right. */
export function layProvenance(
  graph: ProvenanceGraph,
  diagnosis: Diagnosis,
  hosts: Map<string, string>,
): GraphLayout {
  const layout = new dagre.graphlib.Graph({ compound: true, multigraph: true });
  // The greedy search for cycles turns light edges around, so that the pause path keeps its direction.
  layout.setGraph({ rankdir: 'LR', acyclicer: 'greedy', nodesep: 14, ranksep: 58, edgesep: 10, marginx: 16, marginy: 16 });
  graph.nodes.forEach((node, index) => {
    const label = labelOf(node, hosts);
    layout.setNode(String(index), { width: Math.max(64, label.length * CHARACTER + 34), height: NODE_HEIGHT });
    if (node.kind !== 'port') return;
    const group = `switch ${splitPort(node.id).node}`;
    if (!layout.hasNode(group)) layout.setNode(group, {});
    layout.setParent(String(index), group);
  });
  graph.edges.forEach((edge, index) => {
    const importance = edge.kind === 'port_waits_for_port' ? 8 : 1;
    const label = { width: 36, height: 14, labelpos: 'c', weight: importance };
    const [left, right] = ends(edge);
    layout.setEdge(left, right, label, String(index));
  });
  for (const [left, right] of pathSteps(graph, diagnosis)) {
    layout.setEdge(left, right, { width: 0, height: 0, weight: PATH_WEIGHT }, 'path');
  }
  dagre.layout(layout);

  const nodes = graph.nodes.map((node, index): GraphNode => {
    const { x = 0, y = 0, width = 64, height = NODE_HEIGHT } = layout.node(String(index));
    const label = labelOf(node, hosts);
    return { index, kind: node.kind, id: node.id, label, role: roleOf(node, diagnosis), x, y, width, height };
  });
  const largest = new Map<EdgeKind, number>();
  for (const edge of graph.edges) {
    largest.set(edge.kind, Math.max(largest.get(edge.kind) ?? 0, Math.abs(edge.weight)));
  }
  const placed = graph.edges.map((edge, index): GraphEdge => {
    const [left, right] = ends(edge);
    const drawn = layout.edge({ v: left, w: right, name: String(index) });
    const points = left === String(edge.from) ? (drawn.points ?? []) : [...(drawn.points ?? [])].reverse();
    const middle = points[Math.floor(points.length / 2)] ?? { x: 0, y: 0 };
    return {
      index,
      ...edge,
      thickness: thickness(edge.weight, largest.get(edge.kind) ?? 0),
      points,
      path: smooth(shortened(points)),
      labelX: drawn.x ?? middle.x,
      labelY: drawn.y ?? middle.y,
    };
  });
  // The layout leaves room for labels between the ranks, but edges that go back through several ranks cross those of others.
  const places = placeLabels(
    placed.map(({ points, labelX, labelY, weight: value }) => ({ points, at: { x: labelX, y: labelY }, ...labelSize(value) })),
    nodes,
  );
  const edges = placed.map((edge, index) => ({ ...edge, labelX: places[index]?.x ?? edge.labelX, labelY: places[index]?.y ?? edge.labelY }));
  const groups = groupsOf(nodes);
  return { nodes, edges, groups, ...frameOf(nodes, edges, groups) };
}

/** The size of the box around the label of an edge. */
export function labelSize(value: number): { width: number; height: number } {
  return { width: weight(value).length * 6.4 + 6, height: 16 };
}

/** Characters of a name in the graph: longer ones would make all of it small. */
const NAME_MOST = 20;

/** The text of a node. A loss is named by its port and its reason. */
function labelOf({ kind, id }: { kind: string; id: string }, hosts: Map<string, string>): string {
  const short = (name: string) => shortName(name, NAME_MOST);
  if (kind === 'host') return short(id);
  if (kind === 'flow') return shortFlow(id, hosts).split(' → ').map(short).join(' → ');
  if (kind !== 'port' && kind !== 'loss') return id;
  const [port = id, reason] = id.split(' ');
  const { node, number } = splitPort(port);
  const name = number ? `${short(node)}:${number}` : short(node);
  return kind === 'loss' && reason ? `${name} ${lossName(reason)}` : name;
}

function frameOf(nodes: GraphNode[], edges: GraphEdge[], groups: GraphGroup[]): { left: number; top: number; width: number; height: number } {
  // Edges are drawn within the hull of their points, half of their width to each side.
  const corners = [
    ...nodes.flatMap(({ x, y, width, height }) => [{ x: x - width / 2, y: y - height / 2 }, { x: x + width / 2, y: y + height / 2 }]),
    ...groups.flatMap(({ x, y, width, height }) => [{ x, y }, { x: x + width, y: y + height }]),
    ...edges.flatMap(({ points }) => points),
    ...edges.flatMap(({ labelX, labelY }) => [{ x: labelX - 24, y: labelY - 8 }, { x: labelX + 24, y: labelY + 8 }]),
  ];
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  const [left, top] = [Math.min(0, ...xs) - FRAME_PAD, Math.min(0, ...ys) - FRAME_PAD];
  return { left, top, width: Math.max(0, ...xs) + FRAME_PAD - left, height: Math.max(0, ...ys) + FRAME_PAD - top };
}

/** The nodes of consecutive ports of the pause path: each is placed to the left of the next one. */
function pathSteps(graph: ProvenanceGraph, diagnosis: Diagnosis): [string, string][] {
  const path = diagnosis.pause_path.length > 0 ? diagnosis.pause_path : diagnosis.loop;
  const at = (port: string) => graph.nodes.findIndex((node) => node.kind === 'port' && node.id === port);
  const known = [...new Set(path)].map(at).filter((index) => index >= 0);
  return known.slice(1).map((index, before) => [String(known[before]), String(index)]);
}

/** A victim at a port is placed to the left of the port, like other waiting flows, although the edge points to it. */
function ends(edge: { from: number; to: number; weight: number }): [string, string] {
  return edge.weight < 0 ? [String(edge.to), String(edge.from)] : [String(edge.from), String(edge.to)];
}

function roleOf(node: { kind: string; id: string }, diagnosis: Diagnosis): string {
  if (node.kind === 'port') return portRole(node.id, diagnosis);
  if (node.kind === 'flow') return flowRole(node.id, diagnosis);
  if (node.kind === 'finding' || node.kind === 'loss') return 'culprit';
  return diagnosis.root_cause.host === node.id ? 'culprit' : 'other';
}

function groupsOf(nodes: GraphNode[]): GraphGroup[] {
  const members = new Map<string, GraphNode[]>();
  for (const node of nodes) {
    if (node.kind !== 'port') continue;
    const name = splitPort(node.id).node;
    members.set(name, [...(members.get(name) ?? []), node]);
  }
  return [...members].map(([name, ports]) => {
    const left = Math.min(...ports.map((p) => p.x - p.width / 2)) - GROUP_PAD;
    const right = Math.max(...ports.map((p) => p.x + p.width / 2)) + GROUP_PAD;
    const top = Math.min(...ports.map((p) => p.y - p.height / 2)) - GROUP_HEAD - 4;
    const bottom = Math.max(...ports.map((p) => p.y + p.height / 2)) + GROUP_PAD;
    return { name, x: left, y: top, width: right - left, height: bottom - top };
  });
}

function thickness(weight: number, largest: number): number {
  return largest > 0 ? 1 + 4 * Math.sqrt(Math.abs(weight) / largest) : 1;
}

/** The points with the last one moved back by the length of the arrowhead. */
function shortened(points: { x: number; y: number }[]): { x: number; y: number }[] {
  const last = points.at(-1);
  const before = points.at(-2);
  if (!last || !before) return points;
  const length = Math.hypot(last.x - before.x, last.y - before.y);
  const share = length > 0 ? Math.max(0, 1 - ARROW / length) : 1;
  const end = { x: before.x + (last.x - before.x) * share, y: before.y + (last.y - before.y) * share };
  return [...points.slice(0, -1), end];
}

function smooth(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${first.x.toFixed(1)} ${first.y.toFixed(1)}`;
  rest.forEach((point, index) => {
    const next = rest[index + 1];
    const end = next ? { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 } : point;
    path += `Q${point.x.toFixed(1)} ${point.y.toFixed(1)} ${end.x.toFixed(1)} ${end.y.toFixed(1)}`;
  });
  return path;
}

/** The weight of an edge with its unit: packets, except between ports, where it is a product, and at hosts and findings. */
export function weightText(kind: EdgeKind, value: number): string {
  if (kind === 'port_waits_for_port') return `weight ${weight(value)} (paused packets × queued packets)`;
  if (kind === 'port_waits_for_host' || kind === 'port_set_by_finding') return `weight ${weight(value)}`;
  return `${weight(value)} ${Math.abs(value) === 1 ? 'packet' : 'packets'}`;
}
