// The types of the REST answers that the dashboard reads. They come from the server's OpenAPI document; the fields of
// `Coming` are those that servers of this version may not send yet.

import type { components } from '../data/openapi';

type Schemas = components['schemas'];

/** The document marks what may be null as optional; these fields are always sent. */
type Sent<T, K extends keyof T> = Omit<T, K> & { [Key in K]-?: Exclude<T[Key], undefined> };

export type Flow = Schemas['FlowKey'];
export type Port = Schemas['PortRef'];
export type Anomaly = Schemas['Anomaly'];
export type Cause = Schemas['Cause'];
export type Severity = Schemas['Severity'];
export type RootCause = Sent<Schemas['RootCause'], 'port' | 'host'>;

/** What an incident has on servers that group recurrences. */
interface Coming {
  /** What it cost the victim of the representative diagnosis. */
  cost?: Schemas['Cost'];
  severity?: Severity;
  /** Number of times that it came back; 1 is once. */
  recurrences?: number;
  /** The latest times that it came back, oldest first. */
  occurrences?: Occurrence[];
  /** All victims; `victims` lists some of them. */
  victim_count?: number;
  pause_path?: Port[];
  loop?: Port[];
}

export interface Occurrence {
  start_ns: number;
  end_ns: number | null;
  start_time?: string | null;
  end_time?: string | null;
}

/** A run without the root cause of its diagnosis. */
export type WhatIf = Schemas['WhatIf'];
export type Verification = Schemas['Verification'];

export type Handling = Schemas['Handling'];
export type Feedback = Schemas['Feedback'];
export type Note = Schemas['TimedNote'];
export type NewNote = Schemas['NoteRequest'];

export type Incident = Omit<Sent<Schemas['TimedIncident'], 'end_ns'>, 'root_cause' | keyof Coming> & Coming & { root_cause: RootCause };

/** A page of the list of incidents, newest first. */
export interface IncidentPage {
  incidents: Incident[];
  next?: string | null;
  /** Incidents that match, on all pages. */
  total?: number;
  /** Ongoing ones of them. */
  open_total?: number;
}

/** The hops of a flow, as the server derives them. */
export interface FlowPath {
  flow: Flow;
  role: 'victim' | 'acks' | 'culprit';
  hops: { port: Port; known: 'recorded' | 'derived' | 'assumed' }[];
}

export type EvidenceRecord = Schemas['Record'];
export type Evidence = Sent<Schemas['Evidence'], 'switch' | 'port' | 'epoch'>;
export type Diagnosis = Omit<Schemas['TimedDiagnosis'], 'root_cause' | 'evidence' | 'paths'> & {
  root_cause: RootCause;
  evidence: Evidence[];
  paths?: FlowPath[];
};

/** The answer about a flow that nothing slows down. */
export interface HealthyFlow {
  anomaly: null;
  detail: string;
  looked_at?: string;
}

export type ProvenanceGraph = Schemas['ProvenanceGraph'];
export type EdgeKind = Schemas['EdgeKind'];
export type Topology = Schemas['Topology'];
/** Servers of an earlier version send no wall clock. */
export type PortSample = Schemas['PortSample'] & Partial<Pick<Schemas['TimedSample'], 'time'>>;
export type Token = Schemas['TokenInfo'];
export type CreatedToken = Schemas['CreatedToken'];
export type Role = Schemas['Role'];
/** What the points of a series are: what switches recorded in an epoch, or sums by the wall clock. */
export type Resolution = 'epoch' | 'second' | 'minute';
export type ClaimValue = Schemas['ClaimValue'];
export type PortPriorities = Schemas['PortPrioritiesAnswer'];
export type PortSeries = Omit<Schemas['PortSeries'], 'resolution' | 'samples'> & { resolution: Resolution; samples: (Schemas['PortPoint'] & { time?: string })[] };
export type FlowSeries = Omit<Schemas['FlowSeries'], 'resolution'> & { resolution: Resolution };
export type HostFinding = Schemas['HostFinding'];
export type HostReportSummary = Schemas['HostReportSummary'];
export type Host = Sent<Schemas['Host'], 'report' | 'agent'>;
export type Daemon = Schemas['DaemonState'];
export type Daemons = Schemas['Daemons'];
export type HealthProblem = Schemas['HealthProblem'];
export type Problem = Schemas['Problem'];
