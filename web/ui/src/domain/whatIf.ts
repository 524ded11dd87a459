// The run without a root cause, in words.

import { isAboutOperations } from './cost';
import { duration, plural } from './format';
import type { Diagnosis, Verification } from './types';

type Named = Pick<Diagnosis, 'anomaly' | 'cause' | 'root_cause' | 'victim'>;

/**
 * What the repeated run lacks, e.g. `these 4 flows`. It never lacks the victim, which would have no round trip then.
 * `without` is what the run says that it lacks: if correcting a setting does not suffice, flows are not sent either.
 */
export function removed({ anomaly, cause, root_cause: root, victim }: Named, without: string[] = []): string {
  if (root.config.length > 0) {
    const settings = root.config.length === 1 ? 'this wrong setting' : `these ${root.config.length} wrong settings`;
    const unsent = without.filter((change) => change.endsWith('is not sent')).length;
    return unsent > 0 ? `${settings} and ${plural(unsent, 'flow')}` : settings;
  }
  if (anomaly === 'self_inflicted') return 'a queue of its own packets';
  const others = root.flows.filter((flow) => flow !== victim);
  const isVictim = others.length < root.flows.length;
  const flows = isVictim ? (others.length === 1 ? 'the other flow' : `the other ${plural(others.length, 'flow')}`) : others.length === 1 ? 'this flow' : `these ${plural(others.length, 'flow')}`;
  const parts = [...(root.host ? [hostFault(anomaly, cause, root.host)] : []), ...(others.length > 0 ? [flows] : [])];
  return parts.join(' and ') || (NETWORK_FAULTS[anomaly] ?? 'the root cause');
}

/** Causes inside a host, as what a run can lack. */
const HOST_FAULTS: Partial<Record<string, string>> = {
  nic_storm: 'the NIC storm',
  slow_receiver: 'the slow receiver',
  loopback_congestion: 'the loopback congestion',
  intra_host_link: 'the slow intra-host link',
  noisy_tenant: 'the noisy tenant',
  rnic_workload: 'the RNIC workload',
  hidden_fence: 'the hidden fence',
  congestion_leaking: 'the congestion leaking',
  go_back_n_waste: 'the go-back-N waste',
  qp_cache_thrash: 'the QP cache thrash',
  poll_gap: 'the poll gap',
  host_control_overhead: 'the host control overhead',
  gpu_co_location: 'the GPU co-location',
};

/** The fault of a host by its cause. Without a known one: its pauses, if the anomaly is that it sends any. */
function hostFault(anomaly: string, cause: string, host: string): string {
  const fault = HOST_FAULTS[cause];
  if (fault) return `${fault} at ${host}`;
  return anomaly === 'pfc_storm_host_injection' || anomaly === 'deadlock_out_of_loop_injection' ? `the pauses of ${host}` : `the fault of ${host}`;
}

/** What is removed if the root cause names neither a host nor a flow. */
const NETWORK_FAULTS: Partial<Record<string, string>> = {
  path_change: 'the path change',
  packet_loss: 'the packet loss',
  host_only: 'faults of its sender and receiver',
};

const ALONE = /; correcting the configuration alone (already helps|changes nothing)$/;

/** Two runs of which the second one leaves out flows besides correcting a setting. */
export interface Combined {
  /** The run with the setting corrected. */
  alone: Verification;
  /** What the second run shows, without the part about the setting alone. */
  shown: string;
}

/** The runs with a corrected setting and with fewer flows besides; null if there is one run only. */
export function combined(verification: Verification): Combined | null {
  const { corrected, shown } = verification;
  if (!corrected) return null;
  const alone = { ...verification, rtt_after_ns: corrected.rtt_ns ?? null, paused_after_ns: corrected.paused_ns, finish_after_ns: null };
  return { alone, shown: shown.replace(ALONE, '') };
}

/** The heading of a run. With a corrected setting it is about the setting alone, even if a second run lacks flows too. */
export function heading(diagnosis: Named, verification: Verification | null): string {
  if (verification && combined(verification)) {
    const settings = diagnosis.root_cause.config.length;
    return settings === 1 ? 'With this setting corrected' : `With these ${settings} settings corrected`;
  }
  return `Without ${removed(diagnosis, verification?.without)}`;
}

/** A value in both runs. */
export interface Compared {
  name: string;
  before: string;
  after: string;
  /** Whether the repeated run has less of it. */
  isBetter: boolean;
}

type Measured = Pick<Diagnosis, 'evidence' | 'victim' | 'pause_path' | 'loop'>;

/** A duration of which there may be none. */
const lasting = (ns: number) => (ns === 0 ? 'none' : duration(ns));

/** Why the repeated run has no round trip or operation of the victim in the compared time. */
function absent(isOperation: boolean, { finish_after_ns }: Verification): string {
  if (isOperation) return 'no operation at that time';
  return typeof finish_after_ns === 'number' ? 'it had sent everything before' : 'it sends nothing at that time';
}

/** What both runs have in common, worst effect first. Values that are 0 in both are left out. */
export function compared(verification: Verification, diagnosis: Measured): Compared[] {
  const { rtt_before_ns, rtt_after_ns, paused_before_ns, paused_after_ns } = verification;
  const isOperation = isAboutOperations(diagnosis);
  const rows: Compared[] = [];
  rows.push({
    name: isOperation ? 'longest wait of an operation of the victim' : 'slowest round trip of the victim',
    before: lasting(rtt_before_ns),
    after: typeof rtt_after_ns === 'number' ? lasting(rtt_after_ns) : absent(isOperation, verification),
    isBetter: typeof rtt_after_ns !== 'number' || rtt_after_ns < rtt_before_ns,
  });
  if (paused_before_ns > 0 || paused_after_ns > 0) {
    const ports = new Set([...diagnosis.pause_path, ...diagnosis.loop]).size;
    rows.push({
      name: `pauses on the pause path${ports > 1 ? `, summed over ${ports} ports` : ''}`,
      before: lasting(paused_before_ns),
      after: lasting(paused_after_ns),
      isBetter: paused_after_ns < paused_before_ns,
    });
  }
  return rows;
}
