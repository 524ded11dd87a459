// REST; `stream` has the live events. No other module communicates with the server.

import type { Listed } from '../domain/causes';
import type {
  CreatedToken,
  Daemons,
  Diagnosis,
  Flow,
  FlowSeries,
  HealthyFlow,
  Host,
  Incident,
  IncidentPage,
  NewNote,
  Note,
  Port,
  PortPriorities,
  PortSample,
  PortSeries,
  Problem,
  ProvenanceGraph,
  Role,
  Token,
  Topology,
  WhatIf,
} from '../domain/types';

const API = '/api/v1';

/** REST paths. */
export const paths = {
  incidents: `${API}/incidents`,
  incident: (id: string) => `${API}/incidents/${encodeURIComponent(id)}`,
  related: (incident: string) => `${API}/incidents/${encodeURIComponent(incident)}/related`,
  report: (incident: string) => `${API}/incidents/${encodeURIComponent(incident)}/report?format=html`,
  notes: (incident: string) => `${API}/incidents/${encodeURIComponent(incident)}/notes`,
  case: (incident: string) => `${API}/incidents/${encodeURIComponent(incident)}/case`,
  diagnoses: (incident: string) => `${API}/diagnoses?incident=${encodeURIComponent(incident)}`,
  diagnosis: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}`,
  graph: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}/graph`,
  snapshot: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}/snapshot`,
  whatIf: (id: string) => `${API}/diagnoses/${encodeURIComponent(id)}/what-if`,
  topology: `${API}/topology`,
  ports: `${API}/ports`,
  /** The recent samples, or the stored series of the latest `rangeS` seconds. */
  series: (port: Port, rangeS = 0) => `${API}/ports/${encodeURIComponent(port)}/series${rangeS ? `?range_s=${rangeS}` : ''}`,
  priorities: (port: Port) => `${API}/ports/${encodeURIComponent(port)}/priorities`,
  flowSeries: (flow: Flow, rangeS = 0) => `${API}/flows/${encodeURIComponent(flow)}/series${rangeS ? `?range_s=${rangeS}` : ''}`,
  host: (name: string) => `${API}/hosts/${encodeURIComponent(name)}`,
  hostReport: (name: string) => `${API}/hosts/${encodeURIComponent(name)}/report`,
  daemons: `${API}/daemons`,
  tokens: `${API}/tokens`,
  token: (name: string) => `${API}/tokens/${encodeURIComponent(name)}`,
  queries: `${API}/queries`,
  events: `${API}/events`,
  /** The changes, without the samples of ports. */
  records: `${API}/events?kinds=diagnosis,incident,pause,topology`,
  findings: (query = '') => (query ? `${API}/findings?${query}` : `${API}/findings`),
  openapi: `${API}/openapi.json`,
};

/** An error response of the server, or a request without a response. */
export class ApiError extends Error {
  constructor(
    readonly title: string,
    readonly detail: string,
    readonly status: number,
    /** The last part of the problem's type. */
    readonly type = '',
  ) {
    super(`${title}: ${detail}`);
  }
}

/** An error as title and detail. */
export function asProblem(error: unknown): { title: string; detail: string; type?: string } {
  if (error instanceof ApiError) return { title: error.title, detail: error.detail, type: error.type };
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
  // An answer without content has no JSON.
  if (response.ok) return (response.status === 204 ? undefined : await response.json()) as T;
  if (response.headers.get('content-type')?.startsWith('application/problem+json')) {
    const problem = (await response.json()) as Problem;
    throw new ApiError(problem.title, problem.detail, problem.status, problem.type.split(/[/#:]/).at(-1));
  }
  throw new ApiError('Unexpected response', `${response.status} ${response.statusText}`, response.status);
}

/** What the server looked at; older ones say it in `detail`. */
function lookedAt(answer: HealthyFlow): string {
  return answer.looked_at || answer.detail;
}

const get = <T>(path: string, signal?: AbortSignal) => request<T>(path, signal ? { signal } : undefined);

export const api = {
  /** A page of incidents; `query` has filters, `limit` and `cursor`. */
  incidents: (query: string, signal?: AbortSignal) =>
    get<IncidentPage>(query ? `${paths.incidents}?${query}` : paths.incidents, signal),
  /** Whether the server filters the list; one that does also counts its matches. */
  hasFilters: async (signal?: AbortSignal) => (await api.incidents('limit=1', signal)).total !== undefined,
  related: async (id: string, signal?: AbortSignal) => (await get<{ incidents: Incident[] }>(paths.related(id), signal)).incidents,
  incident: (id: string, signal?: AbortSignal) => get<Incident>(paths.incident(id), signal),
  notes: async (id: string, signal?: AbortSignal) => (await get<{ notes: Note[] }>(paths.notes(id), signal)).notes,
  addNote: (id: string, note: NewNote) =>
    request<Incident>(paths.notes(id), { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(note) }),
  /** The diagnoses that match a query, without evidence if it has `view=summary`. */
  diagnoses: async (query: string, signal?: AbortSignal) =>
    (await get<{ diagnoses: Listed[] }>(`${API}/diagnoses?${query}`, signal)).diagnoses,
  diagnosis: (id: string, signal?: AbortSignal) => get<Diagnosis>(paths.diagnosis(id), signal),
  graph: (id: string, signal?: AbortSignal) => get<ProvenanceGraph>(paths.graph(id), signal),
  whatIf: (id: string, signal?: AbortSignal) => get<WhatIf>(paths.whatIf(id), signal),
  topology: (signal?: AbortSignal) => get<Topology>(paths.topology, signal),
  ports: async (signal?: AbortSignal) => (await get<{ ports: PortSample[] }>(paths.ports, signal)).ports,
  series: (port: Port, rangeS: number, signal?: AbortSignal) => get<PortSeries>(paths.series(port, rangeS), signal),
  priorities: (port: Port, signal?: AbortSignal) => get<PortPriorities>(paths.priorities(port), signal),
  flowSeries: (flow: Flow, rangeS: number, signal?: AbortSignal) => get<FlowSeries>(paths.flowSeries(flow, rangeS), signal),
  /** The findings about configurations and cables, each as JSON; `query` has filters. */
  findings: async (query: string, signal?: AbortSignal) =>
    (await get<{ findings: Record<string, unknown>[] }>(paths.findings(query), signal)).findings,
  host: (name: string, signal?: AbortSignal) => get<Host>(paths.host(name), signal),
  /** The tokens, without their secrets; for admins. */
  tokens: async (signal?: AbortSignal) => (await get<{ tokens: Token[] }>(paths.tokens, signal)).tokens,
  createToken: (name: string, role: Role) =>
    request<CreatedToken>(paths.tokens, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ name, role }) }),
  revokeToken: (name: string) => request<void>(paths.token(name), { method: 'DELETE' }),
  daemons: (signal?: AbortSignal) => get<Daemons>(paths.daemons, signal),
  /** Diagnoses a flow now. A flow that nothing slows down has no anomaly. */
  ask: (victim: Flow, signal?: AbortSignal) =>
    request<Diagnosis | HealthyFlow>(paths.queries, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ victim }),
      ...(signal ? { signal } : {}),
    })
      .then((answer) => (answer.anomaly === null ? { anomaly: null, detail: lookedAt(answer) } : answer))
      .catch((error: unknown): HealthyFlow => {
        // Servers before 0.3 answer with a problem.
        if (error instanceof ApiError && error.type === 'no-anomaly') return { anomaly: null, detail: error.detail };
        throw error;
      }),
};
