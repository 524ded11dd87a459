// The run without a root cause, in words.

import { duration, plural } from './format';
import type { Diagnosis, Verification } from './types';

/**
 * What the repeated run lacks, e.g. `these 4 flows`. It never lacks the victim, which would have no round trip then.
 * `without` is what the run says that it lacks: if correcting a setting does not suffice, flows are not sent either.
 */
export function removed({ anomaly, root_cause: root, victim }: Pick<Diagnosis, 'anomaly' | 'root_cause' | 'victim'>, without: string[] = []): string {
  if (root.config.length > 0) {
    const settings = root.config.length === 1 ? 'this wrong setting' : `these ${root.config.length} wrong settings`;
    const unsent = without.filter((change) => change.endsWith('is not sent')).length;
    return unsent > 0 ? `${settings} and ${plural(unsent, 'flow')}` : settings;
  }
  if (anomaly === 'self_inflicted') return 'a queue of its own packets';
  const others = root.flows.filter((flow) => flow !== victim);
  const isVictim = others.length < root.flows.length;
  const flows = isVictim ? (others.length === 1 ? 'the other flow' : `the other ${plural(others.length, 'flow')}`) : others.length === 1 ? 'this flow' : `these ${plural(others.length, 'flow')}`;
  const parts = [...(root.host ? [`the pauses of ${root.host}`] : []), ...(others.length > 0 ? [flows] : [])];
  return parts.join(' and ') || (NETWORK_FAULTS[anomaly] ?? 'the root cause');
}

/** What is removed if the root cause names neither a host nor a flow. */
const NETWORK_FAULTS: Partial<Record<string, string>> = {
  path_change: 'the path change',
  packet_loss: 'the packet loss',
  host_only: 'faults of its sender and receiver',
};

/** A value in both runs. */
export interface Compared {
  name: string;
  before: string;
  after: string;
  /** Whether the repeated run has less of it. */
  isBetter: boolean;
}

/** What both runs have in common, worst effect first. Values that are 0 in both are left out. */
export function compared(verification: Verification): Compared[] {
  const { rtt_before_ns, rtt_after_ns, paused_before_ns, paused_after_ns } = verification;
  const rows: Compared[] = [];
  rows.push({
    name: 'slowest round trip of the victim',
    before: duration(rtt_before_ns),
    after: typeof rtt_after_ns === 'number' ? duration(rtt_after_ns) : 'it had sent everything before',
    isBetter: typeof rtt_after_ns !== 'number' || rtt_after_ns < rtt_before_ns,
  });
  if (paused_before_ns > 0 || paused_after_ns > 0) {
    rows.push({
      name: 'pauses on the pause path',
      before: duration(paused_before_ns),
      after: duration(paused_after_ns),
      isBetter: paused_after_ns < paused_before_ns,
    });
  }
  return rows;
}
