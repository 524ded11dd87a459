import { describe, expect, test } from 'vitest';
import { causesFirst, hostCause, hostPartName, reportAge } from './hosts';
import type { HostFinding, HostReportSummary } from './types';

function finding(cause: HostFinding['cause'], part: HostFinding['part'] = { kind: 'host' }): HostFinding {
  return { detector: 'd', host: 'h3', part, cause, summary: cause, confidence: 1, evidence: [], missing: [], advice: [] };
}

describe('the report of a host', () => {
  test('a part has its kind and name', () => {
    expect(hostPartName({ kind: 'nic', name: 'mlx5_0' })).toBe('RNIC mlx5_0');
    expect(hostPartName({ kind: 'host' })).toBe('host');
  });

  test('causes come before symptoms, whose certainty says nothing about a delay', () => {
    const sorted = causesFirst([finding('undetermined'), finding('nic_storm'), finding('slow_receiver')]);
    expect(sorted.map((row) => row.cause)).toEqual(['nic_storm', 'slow_receiver', 'undetermined']);
    expect(sorted.map(hostCause)).toEqual(['NIC storm', 'Slow receiver', '']);
  });

  test('the age grows while the page is open', () => {
    const report: HostReportSummary = { time: '2023-11-14T22:13:20Z', age_ns: 2e9, interval_ns: 1, findings: [] };
    expect(reportAge(report, 1000, 1000)).toEqual({ text: '2 s ago', isOutdated: false });
    expect(reportAge(report, 1000, 241_000)).toEqual({ text: '4 min ago', isOutdated: true });
    expect(reportAge({ ...report, age_ns: 5 }, 1000, 1000).text).toBe('now');
  });
});
