// Types of the REST responses (GET /api/v1/openapi.json) that the dashboard reads.

export type Flow = string;
export type Port = string;

export const ANOMALIES = [
  'flow_contention',
  'pfc_backpressure_flow_contention',
  'pfc_storm_host_injection',
  'deadlock_in_loop_contention',
  'deadlock_out_of_loop_contention',
  'deadlock_out_of_loop_injection',
  'routing_loop',
  'class_contention',
  'packet_loss',
  'path_change',
  'self_inflicted',
  'host_only',
  'undetermined',
] as const;
export type Anomaly = (typeof ANOMALIES)[number];

export const CAUSES = [
  'incast',
  'elephant_collision',
  'ecmp_imbalance',
  'low_rate_attack',
  'collective_step',
  'nic_storm',
  'slow_receiver',
  'misconfiguration',
  'undetermined',
] as const;

export const SEVERITIES = ['critical', 'major', 'minor', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface RootCause {
  port: Port | null;
  flows: Flow[];
  host: string | null;
  config: string[];
}

export interface Incident {
  id: string;
  anomaly: Anomaly;
  cause: string;
  summary: string;
  confidence: number;
  root_cause: RootCause;
  start_ns: number;
  update_ns: number;
  end_ns: number | null;
  count: number;
  diagnosis: string;
  victims: Flow[];
  severity?: Severity;
  /** Number of times that it came back; 1 is once. */
  recurrences?: number;
  /** The latest times that it came back, oldest first. */
  occurrences?: Occurrence[];
  /** All victims; `victims` lists some of them. */
  victim_count?: number;
  pause_path?: Port[];
  loop?: Port[];
  start_time?: string | null;
  update_time?: string | null;
  end_time?: string | null;
}

export interface Occurrence {
  start_ns: number;
  end_ns: number | null;
  start_time?: string | null;
  end_time?: string | null;
}

/** The answer about a flow that nothing slows down. */
export interface HealthyFlow {
  anomaly: null;
  detail: string;
  looked_at?: string;
}

/** A page of the list of incidents, newest first. */
export interface IncidentPage {
  incidents: Incident[];
  next: string | null;
  /** Incidents that match, on all pages. */
  total?: number;
  /** Ongoing ones of them. */
  open_total?: number;
}

/** The hops of a flow, as the server derives them. */
export interface FlowPath {
  flow: Flow;
  role: 'victim' | 'culprit';
  hops: { port: Port; known: 'recorded' | 'derived' | 'assumed' }[];
}

export interface FlowRecord {
  kind: 'flow';
  flow: Flow;
  epoch: number;
  ingress_port: number | null;
  egress_port: number;
  priority: number | null;
  packets: number;
  bytes: number | null;
  queued_packets: number | null;
  depth_sum: number;
  paused_packets: number;
  evicted: boolean;
}

export interface PortRecord {
  kind: 'port';
  port: number;
  epoch: number;
  packets: number | null;
  depth_sum: number;
  paused_packets: number;
}

export interface MeterRecord {
  kind: 'meter';
  ingress_port: number;
  egress_port: number;
  epoch: number;
  packets: number | null;
  bytes: number;
}

export interface PauseRecord {
  kind: 'pause';
  port: number;
  priority: number;
  start_ns: number;
  end_ns: number | null;
  frames: number;
}

export interface TriggerRecord {
  kind: 'trigger';
  host: string;
  flow: Flow;
  time_ns: number;
  reason: 'slow_rtt' | 'silence';
  base_rtt_ns: number;
  rtt_ns: number;
}

export interface PortEdgeRecord {
  kind: 'port_edge';
  from: Port;
  to: Port;
  weight: number;
}

export interface ContributionRecord {
  kind: 'contribution';
  flow: Flow;
  weight: number;
}

export interface ConfigurationRecord {
  kind: 'configuration';
  id: string;
  switch: string;
  port: number | null;
  setting: string;
  deviation: string;
  message: string;
  fix: string;
}

export interface LossRecord {
  kind: 'loss';
  switch: string;
  ingress_port?: number;
  egress_port?: number;
  priority?: number;
  reason: string;
  packets: number;
  /** When the first and the last packet was lost. */
  lost_ns: [number, number];
}

export type NetworkEventRecord = { kind: 'event'; time_ns: number; switch: string } & (
  | { change: 'link_down' | 'link_up'; port: number }
  | { change: 'route'; prefix: string; before: number[]; after: number[] }
);

export interface TransferRecord {
  kind: 'transfer';
  step: number;
  flow: Flow;
  bytes: number;
  start_ns?: number;
  finish_ns?: number;
}

export type EvidenceRecord =
  | FlowRecord
  | PortRecord
  | MeterRecord
  | PauseRecord
  | TriggerRecord
  | ConfigurationRecord
  | LossRecord
  | NetworkEventRecord
  | TransferRecord
  | PortEdgeRecord
  | ContributionRecord;

export interface Evidence {
  claim: string;
  switch: string | null;
  port: Port | null;
  epoch: number | null;
  records: EvidenceRecord[];
}

export interface Diagnosis {
  id: string;
  time_ns: number;
  victim: Flow;
  anomaly: Anomaly;
  cause: string;
  summary: string;
  confidence: number;
  root_cause: RootCause;
  pause_path: Port[];
  loop: Port[];
  spreaders: Flow[];
  victims: Flow[];
  evidence: Evidence[];
  missing: string[];
  advice: string[];
  collected: { switches: number; bytes: number; polls: number };
  time?: string | null;
  severity?: Severity;
  paths?: FlowPath[];
}

export type EdgeKind =
  | 'port_waits_for_port'
  | 'flow_waits_for_port'
  | 'port_waits_for_flow'
  | 'port_waits_for_host'
  | 'port_set_by_finding'
  | 'port_loses_packets'
  | 'loss_set_by_finding';

export interface ProvenanceGraph {
  nodes: { kind: 'port' | 'flow' | 'host' | 'finding' | 'loss'; id: string }[];
  edges: { from: number; to: number; kind: EdgeKind; weight: number }[];
}

export interface TopologyNode {
  name: string;
  kind: 'host' | 'switch';
  addresses: string[];
}

export interface TopologyLink {
  a: Port;
  b: Port;
  rate: number;
  delay: number;
}

export interface Topology {
  nodes: TopologyNode[];
  links: TopologyLink[];
}

export interface PortPoint {
  time_ns: number;
  interval_ns: number;
  queue_bytes: number;
  queue_packets: number;
  paused: boolean;
  paused_ns: number;
  tx_bps: number;
}

export interface PortSample extends PortPoint {
  port: Port;
}

export interface PortSeries {
  port: Port;
  peer: Port | null;
  rate_bps: number | null;
  samples: PortPoint[];
}

/** Something that keeps the server or a daemon from its work. */
export interface HealthProblem {
  subject: string;
  reason: string;
}

export interface Daemon {
  /** `agent` or `controller`. */
  kind: string;
  name: string;
  software: string;
  boot_id: string;
  state: 'connected' | 'silent' | 'disconnected';
  /** When its last message arrived, RFC 3339. */
  heard: string;
  clock_offset_ns: number | null;
  clock_error_ns: number;
  rejected: number;
  lost: number;
  problems: HealthProblem[];
  /** Cables of a controller's switches that differ from the topology; absent: none. */
  cables?: { port: Port; text: string }[];
  /** Links that have failed and that a controller's routes avoid; absent: none. */
  failed_links?: Port[];
}

/** The daemons that have been connected to the server, and what keeps it and them from their work. */
export interface Daemons {
  daemons: Daemon[];
  problems: HealthProblem[];
}

export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
}
