// Flow and port names: `src:sport>dst:dport/proto`, `switch:port`.

import type { Flow, Port, Topology } from './types';

export interface FlowParts {
  src: string;
  sport: string;
  dst: string;
  dport: string;
  proto: string;
}

/** The parts of a flow's name, or null if it is malformed. The server validates addresses. */
export function parseFlow(text: Flow): FlowParts | null {
  const match = /^(\[[^\]]+\]|[^:>]+):(\d+)>(\[[^\]]+\]|[^:>]+):(\d+)\/(\w+)$/.exec(text.trim());
  if (!match) return null;
  const [, src = '', sport = '', dst = '', dport = '', proto = ''] = match;
  return { src: bare(src), sport, dst: bare(dst), dport, proto };
}

/** The name of a flow. */
export function flowName(parts: FlowParts): Flow {
  const end = (address: string, port: string) => `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return `${end(parts.src.trim(), parts.sport.trim())}>${end(parts.dst.trim(), parts.dport.trim())}/${parts.proto}`;
}

function bare(address: string): string {
  return address.startsWith('[') ? address.slice(1, -1) : address;
}

/** The errors of a form by field, with addresses as `resolved` returns them; empty if it is valid. */
export function flowProblems(parts: FlowParts, topology: Topology | null = null): Partial<Record<keyof FlowParts, string>> {
  const problems: Partial<Record<keyof FlowParts, string>> = {};
  for (const field of ['src', 'dst'] as const) {
    const text = parts[field].trim();
    const node = topology?.nodes.find(({ name }) => name.toLowerCase() === text.toLowerCase());
    if (!text) problems[field] = 'an IP address or the name of a host is needed';
    else if (node?.kind === 'switch') problems[field] = `${text} is a switch; a flow has hosts at its ends`;
    else if (node && !node.addresses?.length) problems[field] = `the topology has no address of ${text}; enter its IP address`;
    else if (!isAddress(text)) problems[field] = `${text} is neither an IP address nor a host of the topology`;
  }
  for (const field of ['sport', 'dport'] as const) {
    const text = parts[field].trim();
    if (!/^\d+$/.test(text) || Number(text) > 65535) problems[field] = text ? `${text} is not a port number from 0 to 65535` : 'a port number from 0 to 65535 is needed';
  }
  return problems;
}

/** The parts with addresses for names of hosts; of a host with several addresses, the first one. */
export function resolved(parts: FlowParts, topology: Topology | null): FlowParts {
  const address = (text: string) => {
    const name = text.trim().toLowerCase();
    return topology?.nodes.find((node) => node.kind === 'host' && node.name.toLowerCase() === name)?.addresses?.[0] ?? text;
  };
  return { ...parts, src: address(parts.src), dst: address(parts.dst) };
}

function isAddress(text: string): boolean {
  if (text.includes(':')) return /^[0-9a-f:.]+$/i.test(text);
  const octets = text.split('.');
  return octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) <= 255);
}

/** The host of each address. */
export function hostsByAddress(topology: Topology | null): Map<string, string> {
  const hosts = new Map<string, string>();
  for (const node of topology?.nodes ?? []) {
    if (node.kind === 'host') for (const address of node.addresses ?? []) hosts.set(address, node.name);
  }
  return hosts;
}

export interface FlowEnds {
  from: string;
  to: string;
}

/** The two ends of a flow as host names, or as addresses if the hosts are unknown. */
export function flowEnds(flow: Flow, hosts: Map<string, string>): FlowEnds {
  const parts = parseFlow(flow);
  if (!parts) return { from: flow, to: '' };
  return { from: hosts.get(parts.src) ?? parts.src, to: hosts.get(parts.dst) ?? parts.dst };
}

/** `h2 → h4`. */
export function shortFlow(flow: Flow, hosts: Map<string, string>): string {
  const ends = flowEnds(flow, hosts);
  return ends.to ? `${ends.from} → ${ends.to}` : ends.from;
}

/** A flow in a text of a host's report, which has no names of hosts. The texts of the analyzer have it in parentheses. */
const RAW_FLOW = /(?<![(\d.[])(?:\[[0-9a-f:.]+\]|\d+(?:\.\d+){3}):\d+>(?:\[[0-9a-f:.]+\]|\d+(?:\.\d+){3}):\d+\/\w+/g;

/** A text with the names of hosts before each 5-tuple that has none: `h9 → h5 (10.0.9.1:10000>10.0.5.1:4791/udp)`. */
export function withHostNames(text: string, hosts: Map<string, string>): string {
  return text.replaceAll(RAW_FLOW, (flow) => namedFlow(flow, hosts));
}

/** A flow with the names of its hosts first, as far as they are known. */
export function namedFlow(flow: Flow, hosts: Map<string, string>): string {
  const parts = parseFlow(flow);
  const isKnown = parts !== null && (hosts.has(parts.src) || hosts.has(parts.dst));
  return isKnown ? `${shortFlow(flow, hosts)} (${flow})` : flow;
}

/**
 * A name of at most `most` characters for a picture: without its domain, then without its middle, because names of a
 * network differ at their ends.
 */
export function shortName(name: string, most: number): string {
  if (name.length <= most) return name;
  const [host = name] = name.split('.');
  if (host.length <= most) return host;
  const head = Math.floor((most - 1) / 3);
  return `${host.slice(0, head)}…${host.slice(host.length - (most - 1 - head))}`;
}

/** Flows by sender and receiver, in their order: the first one stands for all between the same hosts. */
export function byEnds(flows: Flow[], hosts: Map<string, string>): { flow: Flow; count: number }[] {
  const groups = new Map<string, { flow: Flow; count: number }>();
  for (const flow of flows) {
    const ends = shortFlow(flow, hosts);
    const group = groups.get(ends);
    if (group) group.count += 1;
    else groups.set(ends, { flow, count: 1 });
  }
  return [...groups.values()];
}

/** Node and number of a port's name. */
export function splitPort(port: Port): { node: string; number: string } {
  const colon = port.lastIndexOf(':');
  return colon < 0 ? { node: port, number: '' } : { node: port.slice(0, colon), number: port.slice(colon + 1) };
}
