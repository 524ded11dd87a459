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
  [root({ flows: ['a'] }), 'this flow'],
  [root({ flows: ['a', 'b', 'c', 'd'] }), 'these 4 flows'],
  [root({ host: 'h11' }), 'the pauses of h11'],
  [root({ host: 'h11', flows: ['a', 'b'] }), 'the pauses of h11 and these 2 flows'],
  [root({ config: ['x'], flows: ['a'] }), 'this wrong setting'],
  [root({}), 'the root cause'],
])('names what the run lacks: %#', (lacking, expected) => {
  expect(removed(lacking)).toBe(expected);
});

test('a run without pauses compares round trips only', () => {
  expect(compared(verification({}))).toEqual([
    { name: 'slowest round trip of the victim', before: '16.8 µs', after: '8.7 µs', isBetter: true },
  ]);
});

test('a victim without packets has recovered, and longer pauses are not better', () => {
  const rows = compared(verification({ rtt_after_ns: null, paused_before_ns: 2000, paused_after_ns: 3000 }));
  expect(rows.map((row) => [row.after, row.isBetter])).toEqual([
    ['nothing left to send', true],
    ['3 µs', false],
  ]);
});
