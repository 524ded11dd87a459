import { expect, test } from 'vitest';
import type { Cause, Diagnosis, EvidenceRecord, RootCause, Verification } from './types';
import { combined, compared, heading, removed } from './whatIf';

const root = (parts: Partial<RootCause>): RootCause => ({ port: null, host: null, flows: [], config: [], ...parts });
const verification = (parts: Partial<Verification>): Verification => ({
  without: [],
  shown: '',
  window_ns: [0, 1000],
  rtt_before_ns: 16_800,
  rtt_after_ns: 8_700,
  paused_before_ns: 0,
  paused_after_ns: 0,
  ...parts,
});

test.each([
  ['flow_contention', root({ flows: ['a'] }), 'this flow'],
  ['flow_contention', root({ flows: ['a', 'b', 'c', 'd'] }), 'these 4 flows'],
  ['flow_contention', root({ flows: ['a', 'b', 'victim', 'd'] }), 'the other 3 flows'],
  ['flow_contention', root({ flows: ['a', 'victim'] }), 'the other flow'],
  ['pfc_storm_host_injection', root({ host: 'h11' }), 'the pauses of h11'],
  ['pfc_storm_host_injection', root({ host: 'h11', flows: ['a', 'b'] }), 'the pauses of h11 and these 2 flows'],
  ['flow_contention', root({ config: ['x'], flows: ['a'] }), 'this wrong setting'],
  ['self_inflicted', root({ flows: ['victim'] }), 'a queue of its own packets'],
  ['path_change', root({ port: 'sw1:1' }), 'the path change'],
  ['packet_loss', root({ port: 'sw1:1' }), 'the packet loss'],
  ['host_only', root({}), 'faults of its sender and receiver'],
  ['host_only', root({ host: 'h9' }), 'the fault of h9'],
  ['undetermined', root({}), 'the root cause'],
] as const)('names what the run lacks: %#', (anomaly, root_cause, expected) => {
  expect(removed({ anomaly, cause: 'undetermined', root_cause, victim: 'victim' })).toBe(expected);
});

test.each<[Diagnosis['anomaly'], Cause, string]>([
  ['host_only', 'hidden_fence', 'the hidden fence at h9'],
  ['host_only', 'legitimately_network_bound', 'the fault of h9'],
  ['pfc_storm_host_injection', 'slow_receiver', 'the slow receiver at h9'],
  ['pfc_storm_host_injection', 'undetermined', 'the pauses of h9'],
])('a host has the fault that its cause says: %s, %s', (anomaly, cause, expected) => {
  expect(removed({ anomaly, cause, root_cause: root({ host: 'h9' }), victim: 'victim' })).toBe(expected);
});

test('names the flows that a run lacks besides a setting', () => {
  const of = { anomaly: 'pfc_backpressure_flow_contention', cause: 'misconfiguration', root_cause: root({ config: ['x'], flows: ['a', 'b'] }), victim: 'victim' } as const;
  expect(removed(of, ['a is not sent', 'b is not sent', 'far has 2 MB of headroom'])).toBe('this wrong setting and 2 flows');
  expect(removed(of, ['far has 2 MB of headroom'])).toBe('this wrong setting');
});

test('a run that corrects a setting and leaves out flows has a first one with the setting alone', () => {
  const run = verification({
    shown: 'its longest RTT is 14 us instead of 114 us; correcting the configuration alone already helps',
    paused_before_ns: 900,
    corrected: { rtt_ns: 12_000, paused_ns: 700, helps: true },
  });
  const of = { anomaly: 'pfc_backpressure_flow_contention', cause: 'misconfiguration', root_cause: root({ config: ['x'] }), victim: 'victim' } as const;
  expect(heading(of, run)).toBe('With this setting corrected');
  expect(heading({ ...of, root_cause: root({ config: ['x', 'y'] }) }, run)).toBe('With these 2 settings corrected');
  const both = combined(run);
  expect(both?.shown).toBe('its longest RTT is 14 us instead of 114 us');
  expect([both?.alone.rtt_before_ns, both?.alone.rtt_after_ns, both?.alone.paused_after_ns]).toEqual([16_800, 12_000, 700]);
});

test('a run that lacks a setting only is headed by it', () => {
  const of = { anomaly: 'pfc_backpressure_flow_contention', cause: 'misconfiguration', root_cause: root({ config: ['x'] }), victim: 'victim' } as const;
  expect(combined(verification({ shown: 'its longest RTT is 14 us instead of 114 us' }))).toBeNull();
  expect(heading(of, verification({}))).toBe('Without this wrong setting');
  expect(heading(of, null)).toBe('Without this wrong setting');
});

const trigger = (reason: string) => ({ kind: 'trigger', flow: 'victim', reason, rtt_ns: 5000 }) as EvidenceRecord;
const measured = (reason: string, path: string[] = []) =>
  ({ victim: 'victim', pause_path: path, loop: [], evidence: [{ claim: '', switch: null, port: null, epoch: null, records: [trigger(reason)] }] }) as unknown as Diagnosis;

test('a run without pauses compares round trips only', () => {
  expect(compared(verification({}), measured('slow_rtt'))).toEqual([
    { name: 'slowest round trip of the victim', before: '16.8 µs', after: '8.7 µs', isBetter: true },
  ]);
});

test.each(['slow_operation', 'slow_job'])('operations are not called round trips: %s', (reason) => {
  expect(compared(verification({ rtt_after_ns: 0 }), measured(reason))).toEqual([
    { name: 'longest wait of an operation of the victim', before: '16.8 µs', after: 'none', isBetter: true },
  ]);
  expect(compared(verification({ rtt_after_ns: null }), measured(reason))[0]?.after).toBe('no operation at that time');
});

test('a victim without packets has recovered, and longer pauses are not better', () => {
  const run = verification({ rtt_after_ns: null, finish_after_ns: 900, paused_before_ns: 2000, paused_after_ns: 3000 });
  const rows = compared(run, measured('slow_rtt', ['a:1', 'b:1', 'c:1']));
  expect(rows.map((row) => [row.name, row.after, row.isBetter])).toEqual([
    ['slowest round trip of the victim', 'it had sent everything before', true],
    ['pauses on the pause path, summed over 3 ports', '3 µs', false],
  ]);
  expect(compared({ ...run, finish_after_ns: null, paused_after_ns: 0 }, measured('slow_rtt', ['a:1'])).map((row) => [row.name, row.after])).toEqual([
    ['slowest round trip of the victim', 'it sends nothing at that time'],
    ['pauses on the pause path', 'none'],
  ]);
});
