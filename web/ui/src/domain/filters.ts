// The filters of lists of incidents: those of REST, those that only the dashboard has, and what a search word stands for.

import { flowEnds, flowName, parseFlow, splitPort } from './flow';
import { anomalyName, causeName } from './format';
import { culpritSwitches } from './roles';
import type { Incident, Topology } from './types';

/** The filters of `GET /incidents` that the history offers. */
const SERVER_FILTERS = ['anomaly', 'cause', 'severity', 'handling', 'host', 'port', 'flow', 'open', 'since_time', 'until_time'] as const;
/** Filters that REST does not have: a switch, the other host of a flow, a word of the headline. */
const OWN_FILTERS = ['switch', 'peer', 'text'] as const;
export const FILTERS = [...SERVER_FILTERS, ...OWN_FILTERS] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Partial<Record<Filter, string>>;

/** The filters in a URL; unknown parameters and empty values are left out. */
export function filtersOf(query: URLSearchParams): Filters {
  const filters: Filters = {};
  for (const name of FILTERS) {
    const value = query.get(name)?.trim();
    if (value) filters[name] = value;
  }
  return filters;
}

/** The query string of filters, in a fixed order. */
export function queryOf(filters: Filters, names: readonly Filter[] = FILTERS): string {
  const query = new URLSearchParams();
  for (const name of names) if (filters[name]) query.set(name, filters[name]);
  return query.toString();
}

/** The part of the filters that the server applies. */
export function serverQuery(filters: Filters): string {
  return queryOf(filters, SERVER_FILTERS);
}

/** Whether the dashboard has to filter the answers of the server. */
export function hasOwnFilters(filters: Filters): boolean {
  return OWN_FILTERS.some((name) => filters[name] !== undefined);
}

/** What a search word may name. */
export interface Names {
  anomalies: readonly string[];
  causes: readonly string[];
  severities: readonly string[];
  topology: Topology | null;
}

const STATES: Record<string, Filters> = {
  open: { open: 'true' },
  ongoing: { open: 'true' },
  ended: { open: 'false' },
  closed: { open: 'false' },
  acknowledged: { handling: 'acknowledged' },
  resolved: { handling: 'resolved' },
  silenced: { handling: 'silenced' },
};

/**
 * The filters that a text in the search field stands for: a flow by name or by its hosts (`h1 → h3`), a port, a state, an
 * anomaly, cause or severity, a host by name or address, a switch. Anything else is a word of the headline.
 */
export function searchFilter(text: string, names: Names): Filters {
  const word = text.trim();
  if (!word) return {};
  return flowFilter(word, names.topology) ?? nameFilter(word, names) ?? nodeFilter(word, names.topology) ?? { text: word };
}

/** Filters for `src:sport>dst:dport/proto`, and for `h1 → h3` with names or addresses of hosts. */
function flowFilter(word: string, topology: Topology | null): Filters | null {
  const flow = parseFlow(word);
  if (flow) return { flow: flowName(flow) };
  const ends = word.split(/\s*(?:→|->|>)\s*/);
  const [from, to] = ends;
  if (ends.length !== 2 || !from || !to) return null;
  return { host: hostNamed(from, topology) ?? from, peer: hostNamed(to, topology) ?? to };
}

function nameFilter(word: string, { anomalies, causes, severities }: Names): Filters | null {
  const name = word.toLowerCase().replaceAll(/[\s-]+/g, '_');
  // Names as the pages show them, too.
  const known = (all: readonly string[], shown: (value: string) => string) =>
    all.find((value) => value === name || shown(value).toLowerCase() === word.toLowerCase());
  const anomaly = known(anomalies, anomalyName);
  const cause = known(causes, causeName);
  const severity = severities.find((value) => value === name);
  if (Object.hasOwn(STATES, name)) return STATES[name] ?? null;
  if (anomaly && name !== 'undetermined') return { anomaly };
  if (cause) return { cause };
  return severity ? { severity } : null;
}

function nodeFilter(word: string, topology: Topology | null): Filters | null {
  const host = hostNamed(word, topology);
  if (host) return { host };
  const isPort = /:\d+$/.test(word);
  const ends = (topology?.links ?? []).flatMap(({ a, b }) => [{ port: a, peer: b }, { port: b, peer: a }]);
  const link = ends.find(({ port }) => port.toLowerCase() === word.toLowerCase());
  // Incidents have ports of switches: that of a host is the other end of one.
  if (link) return { port: kindOf(splitPort(link.port).node, topology) === 'host' ? link.peer : link.port };
  if (isPort) return { port: word };
  const node = topology?.nodes.find(({ name }) => name.toLowerCase() === word.toLowerCase());
  if (node) return { switch: node.name };
  // Without a topology, a word is more often the name of a host than anything else.
  return topology === null ? { host: word } : null;
}

function kindOf(name: string, topology: Topology | null): 'host' | 'switch' | undefined {
  return topology?.nodes.find((node) => node.name === name)?.kind;
}

/** The name of a host in the case of the topology, by name or by address. */
function hostNamed(word: string, topology: Topology | null): string | undefined {
  const hosts = topology?.nodes.filter(({ kind }) => kind === 'host') ?? [];
  return hosts.find(({ name, addresses }) => name.toLowerCase() === word.toLowerCase() || addresses?.includes(word))?.name;
}

/** Whether an incident matches, for filters that the server does not know. */
export function matches(incident: Incident, filters: Filters, hosts: Map<string, string>): boolean {
  const root = incident.root_cause;
  const flows = [...incident.victims, ...root.flows];
  const ports = [...(root.port ? [root.port] : []), ...(incident.pause_path ?? []), ...(incident.loop ?? [])];
  const isAt = (host: string) =>
    root.host === host || flows.some((flow) => [...hosts].some(([address, name]) => name === host && flow.includes(`${address}:`)));
  return (
    (!filters.anomaly || incident.anomaly === filters.anomaly) &&
    (!filters.cause || incident.cause === filters.cause) &&
    (!filters.severity || incident.severity === undefined || incident.severity === filters.severity) &&
    (!filters.handling || incident.handling === filters.handling) &&
    (!filters.host || isAt(filters.host)) &&
    (!filters.port || ports.includes(filters.port)) &&
    (!filters.flow || flows.includes(filters.flow)) &&
    (!filters.open || (incident.end_ns === null) === (filters.open === 'true')) &&
    (!filters.since_time || incident.end_ns === null || !isBefore(incident.update_time, filters.since_time)) &&
    (!filters.until_time || isBefore(incident.start_time, filters.until_time)) &&
    (!filters.switch || isAtSwitch(filters.switch, incident, ports)) &&
    (!filters.peer || flows.some((flow) => isBetween(flow, filters.host, filters.peer, hosts))) &&
    (!filters.text || textOf(incident).includes(filters.text.toLowerCase()))
  );
}

/** Whether a time is before another; an incident without a time matches. */
function isBefore(time: string | null | undefined, than: string): boolean {
  return !time || Date.parse(time) < Date.parse(than);
}

function isAtSwitch(name: string, incident: Incident, ports: string[]): boolean {
  return ports.some((port) => splitPort(port).node === name) || culpritSwitches(incident).includes(name);
}

function isBetween(flow: string, from: string | undefined, to: string | undefined, hosts: Map<string, string>): boolean {
  const ends = flowEnds(flow, hosts);
  return ends.from === from && ends.to === to;
}

/** The words of an incident: those of its row and of its verdict. */
function textOf({ id, headline, summary, anomaly, cause, root_cause: root }: Incident): string {
  return [id, headline.text, headline.place ?? '', summary, anomalyName(anomaly), causeName(cause), ...root.config].join('\n').toLowerCase();
}
