// The report of a host: its findings, the ones about delays first, and how old it is.

import { causeName } from './format';
import type { HostFinding, HostReportSummary } from './types';
import { long } from './times';

/** Reports come on an interval of a minute by default; one that is older than three is of another time. */
const OUTDATED_NS = 180e9;

/** What a part is called. */
const PARTS: Record<HostFinding['part']['kind'], string> = {
  nic: 'RNIC',
  link: 'link',
  tenant: 'tenant',
  application: 'application',
  connection: 'connection',
  setting: 'setting',
  host: 'host',
};

/** The part of a host that a finding is about: "RNIC mlx5_0". */
export function hostPartName(part: HostFinding['part']): string {
  return 'name' in part ? `${PARTS[part.kind]} ${part.name}` : PARTS[part.kind];
}

/** The cause in words; empty for a finding that is a symptom or a fact. */
export function hostCause(finding: HostFinding): string {
  return finding.cause === 'undetermined' ? '' : causeName(finding.cause);
}

/** Findings with a cause first; otherwise in the server's order, which is by confidence. */
export function causesFirst(findings: HostFinding[]): HostFinding[] {
  const hasCause = (finding: HostFinding) => finding.cause !== 'undetermined';
  return [...findings.filter(hasCause), ...findings.filter((finding) => !hasCause(finding))];
}

/** The age of a report, and whether it is of another time. `loadedMs` is when the server stated the age. */
export function reportAge(report: HostReportSummary, loadedMs: number, nowMs: number): { text: string; isOutdated: boolean } {
  const ageNs = report.age_ns + Math.max(0, nowMs - loadedMs) * 1e6;
  const seconds = Math.floor(ageNs / 1e9) * 1e9;
  return { text: seconds < 1e9 ? 'now' : `${long(seconds)} ago`, isOutdated: ageNs > OUTDATED_NS };
}
