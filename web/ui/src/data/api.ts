// The only module that communicates with the server: REST and the live stream.

import type {
  Daemons,
  Diagnosis,
  Flow,
  Incident,
  Port,
  PortSample,
  PortSeries,
  Problem,
  ProvenanceGraph,
  Topology,
} from '../domain/types';

const API = '/api/v1';

/** REST paths. */
export const paths = {
  incidents: `${API}/incidents`,
  incident: (id: string) => `${API}/incidents/${encodeURIComponent(id)}`,
  diagnoses: (incident: string) => `${API}/diagnoses?incident=${encodeURIComponent(incident)}`,
  diagnosis: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}`,
  graph: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}/graph`,
  snapshot: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}/snapshot`,
  topology: `${API}/topology`,
  ports: `${API}/ports`,
  series: (port: Port) => `${API}/ports/${encodeURIComponent(port)}/series`,
  daemons: `${API}/daemons`,
  queries: `${API}/queries`,
  events: `${API}/events`,
  openapi: `${API}/openapi.json`,
};

/** An error response of the server, or a request without a response. */
export class ApiError extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    readonly status: number,
  ) {
    super(`${title}: ${detail}`);
  }
}

/** An error as title and detail. */
export function asProblem(error: unknown): { title: string; detail: string } {
  if (error instanceof ApiError) return { title: error.title, detail: error.detail };
  return { title: 'Error in the dashboard', detail: String(error) };
}

async function request<T>(path: string, init?: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error;
    throw new ApiError('Harrier does not respond', 'the server is not reachable from this browser', 0);
  }
  if (response.ok) return (await response.json()) as T;
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    const problem = (await response.json()) as Problem;
    throw new ApiError(problem.title, problem.detail, problem.status);
  }
  throw new ApiError('Unexpected response', `${response.status} ${response.statusText}`, response.status);
}

const get = <T>(path: string, signal?: AbortSignal) => request<T>(path, signal ? { signal } : undefined);

export const api = {
  incidents: async (signal?: AbortSignal) =>
    (await get<{ incidents: Incident[] }>(`${paths.incidents}?limit=200`, signal)).incidents,
  incident: (id: string, signal?: AbortSignal) => get<Incident>(paths.incident(id), signal),
  diagnosis: (id: string, signal?: AbortSignal) => get<Diagnosis>(paths.diagnosis(id), signal),
  graph: (id: string, signal?: AbortSignal) => get<ProvenanceGraph>(paths.graph(id), signal),
  topology: (signal?: AbortSignal) => get<Topology>(paths.topology, signal),
  ports: async (signal?: AbortSignal) => (await get<{ ports: PortSample[] }>(paths.ports, signal)).ports,
  series: (port: Port, signal?: AbortSignal) => get<PortSeries>(paths.series(port), signal),
  daemons: (signal?: AbortSignal) => get<Daemons>(paths.daemons, signal),
  ask: (victim: Flow, signal?: AbortSignal) =>
    request<Diagnosis>(paths.queries, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ victim }),
      ...(signal ? { signal } : {}),
    }),
};

export interface StreamHandlers {
  /** The stream is connected or reconnected: data that was loaded before may be outdated. */
  open: () => void;
  /** The connection is lost; the browser reconnects. */
  lost: () => void;
  incident: (incident: Incident) => void;
  ports: (samples: PortSample[]) => void;
  topology: () => void;
  /** Events were missed: all data must be reloaded. */
  missed: () => void;
}

const RETRY_MS = 3000;

/** Follows the live stream until the returned function is called. */
export function follow(handlers: StreamHandlers): () => void {
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    source = new EventSource(paths.events);
    const on = (kind: string, handle: (data: never) => void) =>
      source.addEventListener(kind, (event) => handle(JSON.parse((event as MessageEvent<string>).data) as never));
    on('hello', handlers.open);
    on('incident', (data: { incident: Incident }) => handlers.incident(data.incident));
    on('ports', (data: { samples: PortSample[] }) => handlers.ports(data.samples));
    on('topology', handlers.topology);
    on('gap', handlers.missed);
    on('dropped', handlers.missed);
    source.onerror = () => {
      handlers.lost();
      // An error response, e.g. at the limit of clients, ends the browser's own attempts to reconnect.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  };
  connect();
  return () => {
    clearTimeout(retry);
    source.close();
  };
}
