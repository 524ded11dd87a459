import { expect, test } from 'vitest';
import type { RootCause, Verification } from './types';
import { compared, removed } from './whatIf';

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
  ['undetermined', root({}), 'the root cause'],
] as const)('names what the run lacks: %#', (anomaly, root_cause, expected) => {
  expect(removed({ anomaly, root_cause, victim: 'victim' })).toBe(expected);
});

test('names the flows that a run lacks besides a setting', () => {
  const of = { anomaly: 'pfc_backpressure_flow_contention', root_cause: root({ config: ['x'], flows: ['a', 'b'] }), victim: 'victim' } as const;
  expect(removed(of, ['a is not sent', 'b is not sent', 'far has 2 MB of headroom'])).toBe('this wrong setting and 2 flows');
  expect(removed(of, ['far has 2 MB of headroom'])).toBe('this wrong setting');
});

test('a run without pauses compares round trips only', () => {
  expect(compared(verification({}))).toEqual([
    { name: 'slowest round trip of the victim', before: '16.8 µs', after: '8.7 µs', isBetter: true },
  ]);
});

test('a victim without packets has recovered, and longer pauses are not better', () => {
  const rows = compared(verification({ rtt_after_ns: null, paused_before_ns: 2000, paused_after_ns: 3000 }));
  expect(rows.map((row) => [row.after, row.isBetter])).toEqual([
    ['it had sent everything before', true],
    ['3 µs', false],
  ]);
});
