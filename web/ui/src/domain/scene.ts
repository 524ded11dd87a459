// What the map draws over the links and nodes of a network: pauses, the lines of an incident's flows, its hops, and the
// role of each node. Without a diagnosis only pauses are drawn.

import { type Fabric, linkPath, type PlacedLink, pointOn } from './fabric';
import { splitPort } from './flow';
import { bytes, percent, plural, rate } from './format';
import { heatStep, type PortState } from './heat';
import { type LinkMeasure, measureStep } from './linkMeasure';
import { culpritFlows, culpritSwitches, foremostVictim } from './roles';
import { ackRoute, routeOf, type Step } from './routes';
import type { Structure } from './structure';
import type { Diagnosis, Port, Topology } from './types';

export type TraceRole = 'culprit' | 'victim' | 'acks' | 'spreader';

export interface Trace {
  key: string;
  role: TraceRole;
  port: Port;
  path: string;
  assumed: boolean;
}

/** A line of a flow of the diagnosis, from its sender to its receiver. */
export interface FlowRoute {
  role: TraceRole;
  steps: Step[];
}

// Side by side, so that no line hides another.
const OFFSET: Record<TraceRole, number> = { victim: 4, acks: 4, culprit: 4, spreader: 8 };

/** The order of the lines on a link, the last on top: the dots of a victim leave the line of a culprit below visible. */
const LAYERS: TraceRole[] = ['spreader', 'culprit', 'acks', 'victim'];

/** The routes of the diagnosis' flows. */
export function flowRoutes(diagnosis: Diagnosis | null, topology: Topology | null): FlowRoute[] {
  if (!diagnosis || !topology) return [];
  const route = (flow: string) => routeOf(flow, topology, diagnosis);
  // Of a measured flow that is a culprit itself, the victim that the headline counts is drawn too.
  const victims = new Set([diagnosis.victim, foremostVictim(diagnosis)]);
  return [
    ...[...victims].flatMap((flow): FlowRoute[] => (flow ? [{ role: 'victim', steps: route(flow) }] : [])),
    { role: 'acks', steps: ackRoute(topology, diagnosis) },
    ...diagnosis.spreaders.map((flow): FlowRoute => ({ role: 'spreader', steps: route(flow) })),
    ...culpritFlows(diagnosis).map((flow): FlowRoute => ({ role: 'culprit', steps: route(flow) })),
  ];
}

/** The lines of flows, one a role and port. */
export function traces(routes: FlowRoute[], fabric: Fabric): Trace[] {
  const drawn = new Map<string, Trace>();
  for (const { role, steps } of routes) {
    for (const { port, assumed } of steps) {
      const end = fabric.byPort.get(port);
      if (!end) continue;
      const key = `${role} ${port}`;
      const offset = end.atA ? OFFSET[role] : -OFFSET[role];
      drawn.set(key, { key, role, port, path: linkPath(end.link, 0, 1, offset), assumed });
    }
  }
  return [...drawn.values()].sort((a, b) => LAYERS.indexOf(a.role) - LAYERS.indexOf(b.role));
}

export interface Pausing {
  port: Port;
  step: number;
  path: string;
  bars: string;
}

/** The paused half links; of a link that stands for several, the half of the most paused port. */
export function pausedHalves(ports: Map<Port, PortState>, fabric: Fabric): Pausing[] {
  const hottest = new Map<string, { port: Port; heat: number }>();
  for (const [port, { heat }] of ports) {
    if (heatStep(heat) === 0) continue;
    const end = fabric.byPort.get(port);
    if (!end) continue;
    const key = `${end.link.a} ${end.atA}`;
    if ((hottest.get(key)?.heat ?? 0) < heat) hottest.set(key, { port, heat });
  }
  return [...hottest.values()].flatMap(({ port, heat }) => {
    const end = fabric.byPort.get(port);
    if (!end) return [];
    const t = (share: number) => (end.atA ? share : 1 - share);
    return [{ port, step: heatStep(heat), path: linkPath(end.link, t(0), t(0.5)), bars: bars(end.link, t(0.5)) }];
  });
}

/** The half links of one step of a measure. */
export interface Measured {
  step: number;
  path: string;
}

/** The half links with a queue or with traffic, one path for each step: in a busy network every link has some. */
export function measuredHalves(measure: LinkMeasure, ports: Map<Port, PortState>, fabric: Fabric): Measured[] {
  const steps = new Map<string, { link: PlacedLink; atA: boolean; step: number }>();
  for (const [port, state] of ports) {
    const end = fabric.byPort.get(port);
    if (!end) continue;
    const step = measureStep(measure, state, end.link.rate);
    const key = `${end.link.a} ${end.atA}`;
    if (step > (steps.get(key)?.step ?? 0)) steps.set(key, { ...end, step });
  }
  return [1, 2, 3, 4].flatMap((step) => {
    const halves = [...steps.values()].filter((half) => half.step === step);
    const path = halves.map(({ link, atA }) => linkPath(link, atA ? 0 : 1, 0.5)).join('');
    return path === '' ? [] : [{ step, path }];
  });
}

/** The number of paused ports of each collapsed group, those of links inside the group included. */
export function pausedInGroups(ports: Map<Port, PortState>, fabric: Fabric, structure: Structure): Map<string, number> {
  const paused = new Map<string, number>();
  if (structure.groups.length === 0) return paused;
  for (const [port, { heat }] of ports) {
    const id = heatStep(heat) === 0 ? undefined : structure.groupOf.get(splitPort(port).node)?.id;
    if (id !== undefined && fabric.byName.has(id)) paused.set(id, (paused.get(id) ?? 0) + 1);
  }
  return paused;
}

/** The symbol of a pause: two strokes across the link. */
function bars(link: PlacedLink, t: number): string {
  return [-1, 1]
    .map((side) => {
      const at = t + (side * 2.5) / length(link);
      const [a, b] = [pointOn(link, at, -6), pointOn(link, at, 6)];
      return `M${a.x.toFixed(1)} ${a.y.toFixed(1)}L${b.x.toFixed(1)} ${b.y.toFixed(1)}`;
    })
    .join('');
}

function length(link: PlacedLink): number {
  return Math.hypot(link.to.x - link.from.x, link.to.y - link.from.y) || 1;
}

export interface HopMark {
  port: Port;
  /** The link, to be highlighted. */
  way: string;
  /** The hop's number on the pause path; a port that is only in the loop has none. */
  label: string;
  isRoot: boolean;
  x: number;
  y: number;
}

/** The ports of the pause path and of the loop. `scale` is that of the labels, of which the marks keep clear. */
export function hopMarks(diagnosis: Diagnosis | null, fabric: Fabric, scale = 1): HopMark[] {
  if (!diagnosis) return [];
  const root = diagnosis.root_cause.port;
  const path = diagnosis.pause_path.length > 0 ? diagnosis.pause_path : diagnosis.loop;
  // A loop has no first port: what is only in the loop has no number.
  return incidentPorts(diagnosis).flatMap((port, index) => {
    const end = fabric.byPort.get(port);
    if (!end) return [];
    const way = linkPath(end.link);
    // A fixed distance from the port's own node.
    const share = Math.min(scale > 1 ? 0.45 : 0.32, (42 * Math.max(1, scale)) / length(end.link));
    const label = path.includes(port) || port === root ? String(index + 1) : '↻';
    return [{ port, way, label, isRoot: port === root, ...pointOn(end.link, end.atA ? share : 1 - share) }];
  });
}

/** The ports of the pause path, the root port and the loop, without repetition. */
export function incidentPorts(diagnosis: Diagnosis): Port[] {
  const root = diagnosis.root_cause.port;
  const path = diagnosis.pause_path.length > 0 ? diagnosis.pause_path : diagnosis.loop;
  return [...new Set([...path, ...(root ? [root] : []), ...diagnosis.loop])];
}

/** The groups that an incident opens: those of its ports, the first hops first. */
export function incidentGroups(diagnosis: Diagnosis | null, structure: Structure, peerOf: (port: Port) => Port | undefined): string[] {
  if (!diagnosis || structure.groups.length === 0) return [];
  const ends = incidentPorts(diagnosis).flatMap((port) => [port, peerOf(port) ?? port]);
  const nodes = [...ends.map((port) => splitPort(port).node), ...culpritSwitches(diagnosis)];
  return [...new Set(nodes.flatMap((node) => structure.groupOf.get(node)?.id ?? []))];
}

/** The role of each node in the diagnosis. The role of a group is the gravest one of its nodes. */
export function nodeRoles(diagnosis: Diagnosis | null, routes: FlowRoute[], fabric: Fabric, structure: Structure): Map<string, string> {
  const roles = new Map<string, string>();
  if (!diagnosis) return roles;
  const set = (node: string, role: string) => {
    const group = structure.groupOf.get(node)?.id;
    roles.set(group !== undefined && fabric.byName.has(group) ? group : node, role);
  };
  // From the least to the most important role: the later one is kept.
  const order: TraceRole[] = ['spreader', 'victim', 'culprit'];
  for (const role of order) {
    for (const { steps } of routes.filter((route) => route.role === role)) {
      const [first, last] = [steps[0], steps.at(-1)];
      if (first) set(splitPort(first.port).node, role);
      const far = last && fabric.byPort.get(last.port);
      const receiver = far && (far.atA ? far.link.to : far.link.from).name;
      // The role of a flow that a host sends takes precedence over one that it receives.
      if (receiver && roles.get(receiver)?.endsWith('-receiver') !== false) roles.set(receiver, `${role}-receiver`);
    }
  }
  if (diagnosis.root_cause.host) set(diagnosis.root_cause.host, 'culprit');
  for (const port of [...diagnosis.pause_path, ...diagnosis.loop]) set(splitPort(port).node, 'paused');
  if (diagnosis.root_cause.port) set(splitPort(diagnosis.root_cause.port).node, 'root');
  for (const name of culpritSwitches(diagnosis)) set(name, 'misconfigured');
  return roles;
}

/** What a link and its two ports do, for a tooltip. */
export function linkTitle(link: PlacedLink, ports: Map<Port, PortState>): string {
  if (link.count > 1) return `${plural(link.count, 'link')} of ${rate(link.rate)}`;
  const side = (port: Port) => {
    const state = ports.get(port);
    return state ? `${port} sends ${rate(state.sample.tx_bps)}, queue ${bytes(state.sample.queue_bytes)}, paused ${percent(state.heat)}` : port;
  };
  return `${link.a} – ${link.b}, ${rate(link.rate)}\n${side(link.a)}\n${side(link.b)}`;
}

/** The end of a link that a click opens: the one that is paused more. */
export function hotterEnd(link: PlacedLink, ports: Map<Port, PortState>): Port {
  const heat = (port: Port) => ports.get(port)?.heat ?? 0;
  if (heat(link.a) === heat(link.b)) return link.from.kind === 'host' ? link.b : link.a;
  return heat(link.a) > heat(link.b) ? link.a : link.b;
}
