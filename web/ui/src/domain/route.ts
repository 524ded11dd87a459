// The URL holds the state of the view: it selects what is shown, and selections change it.

import { LINK_MEASURES, type LinkMeasure } from './linkMeasure';

export type Route =
  | { view: 'switch'; name: string }
  | { view: 'host'; name: string }
  | { view: 'events'; query: URLSearchParams }
  | { view: 'findings'; query: URLSearchParams }
  | { view: 'compare'; a: string; b: string }
  | { view: 'periods'; a: string; b: string }
  | { view: 'overview'; incident: string | null }
  | { view: 'incident'; id: string }
  | { view: 'diagnosis'; id: string }
  | { view: 'port'; port: string }
  | { view: 'flow'; flow: string }
  | { view: 'query'; flow: string }
  | { view: 'history'; query: URLSearchParams }
  | { view: 'runbook'; anomaly: string }
  | { view: 'daemons' }
  | { view: 'access' }
  | { view: 'unknown'; path: string };

/** The view that a URL names. */
export function parseRoute(url: URL): Route {
  const [head, ...rest] = url.pathname.split('/').filter(Boolean).map(decoded);
  const id = rest.join('/');
  if (head === undefined) return { view: 'overview', incident: url.searchParams.get('incident') };
  if (head === 'incidents' && id) return { view: 'incident', id };
  if (head === 'diagnoses' && id) return { view: 'diagnosis', id };
  if (head === 'ports' && id) return { view: 'port', port: id };
  if (head === 'flows' && id) return { view: 'flow', flow: id };
  if (head === 'switches' && id) return { view: 'switch', name: id };
  if (head === 'hosts' && id) return { view: 'host', name: id };
  if (head === 'events' && !id) return { view: 'events', query: url.searchParams };
  if (head === 'findings' && !id) return { view: 'findings', query: url.searchParams };
  if (head === 'compare' && !id) return { view: 'compare', a: url.searchParams.get('a') ?? '', b: url.searchParams.get('b') ?? '' };
  if (head === 'compare' && id === 'periods') return { view: 'periods', a: url.searchParams.get('a') ?? '', b: url.searchParams.get('b') ?? '' };
  if (head === 'query' && !id) return { view: 'query', flow: url.searchParams.get('flow') ?? '' };
  if (head === 'history' && !id) return { view: 'history', query: url.searchParams };
  if (head === 'runbook') return { view: 'runbook', anomaly: id };
  if (head === 'daemons' && !id) return { view: 'daemons' };
  if (head === 'access' && !id) return { view: 'access' };
  return { view: 'unknown', path: url.pathname };
}

/** Views with the network, as a map or as a table. */
const WITH_NETWORK: Route['view'][] = ['overview', 'incident', 'diagnosis'];

/** How the network is shown. */
export interface NetworkSettings {
  /** As a table instead of a map. */
  asTable: boolean;
  /** What the links of the map show. */
  measure: LinkMeasure;
}

/** How a URL shows the network. */
export function networkSettings(url: URL): NetworkSettings {
  const wanted = url.searchParams.get('links');
  return { asTable: url.searchParams.get('network') === 'table', measure: LINK_MEASURES.find((measure) => measure === wanted) ?? 'paused' };
}

/** Sets how a URL shows the network; what is usual needs no parameter. */
export function setNetwork(url: URL, { asTable, measure }: NetworkSettings) {
  const set = (name: string, value: string | null) => (value === null ? url.searchParams.delete(name) : url.searchParams.set(name, value));
  set('network', asTable ? 'table' : null);
  set('links', measure === 'paused' ? null : measure);
}

/** The address of a view with the same settings of the network, if the view shows it. */
export function withNetwork(href: string, settings: NetworkSettings): string {
  const url = new URL(href, 'http://harrier');
  if (!WITH_NETWORK.includes(parseRoute(url).view)) return href;
  setNetwork(url, settings);
  return url.pathname + url.search + url.hash;
}

/** A part of a path. An invalid escape stays as it is: it names nothing, and the page says so. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const links = {
  overview: (incident?: string) => (incident ? `/?incident=${encodeURIComponent(incident)}` : '/'),
  incident: (id: string) => `/incidents/${encodeURIComponent(id)}`,
  diagnosis: (id: string) => `/diagnoses/${encodeURIComponent(id)}`,
  port: (port: string) => `/ports/${encodeURIComponent(port)}`,
  flow: (flow: string) => `/flows/${encodeURIComponent(flow)}`,
  switch: (name: string) => `/switches/${encodeURIComponent(name)}`,
  host: (name: string) => `/hosts/${encodeURIComponent(name)}`,
  daemons: () => '/daemons',
  access: () => '/access',
  events: (query = '') => (query ? `/events?${query}` : '/events'),
  finding: (id: string) => `/findings#${encodeURIComponent(id)}`,
  findings: (query = '') => (query ? `/findings?${query}` : '/findings'),
  compare: (a: string, b = '') => `/compare?${new URLSearchParams({ ...(a && { a }), ...(b && { b }) })}`,
  periods: (a = '', b = '') => (a || b ? `/compare/periods?${new URLSearchParams({ a, b })}` : '/compare/periods'),
  history: (query = '') => (query ? `/history?${query}` : '/history'),
  runbook: (anomaly?: string, section = '') =>
    anomaly ? `/runbook/${encodeURIComponent(anomaly)}${section ? `#${section}` : ''}` : '/runbook',
  query: (flow?: string) => (flow ? `/query?flow=${encodeURIComponent(flow)}` : '/query'),
};
