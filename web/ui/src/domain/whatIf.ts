// The run without a root cause, in words.

import { duration, plural } from './format';
import type { RootCause, Verification } from './types';

/** What the repeated run lacks, e.g. `these 4 flows`. */
export function removed(root: RootCause): string {
  if (root.config.length > 0) return root.config.length === 1 ? 'this wrong setting' : `these ${root.config.length} wrong settings`;
  const flows = root.flows.length === 1 ? 'this flow' : `these ${plural(root.flows.length, 'flow')}`;
  const parts = [...(root.host ? [`the pauses of ${root.host}`] : []), ...(root.flows.length > 0 ? [flows] : [])];
  return parts.join(' and ') || 'the root cause';
}

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
    after: typeof rtt_after_ns === 'number' ? duration(rtt_after_ns) : 'nothing left to send',
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
