import { expect, test } from 'vitest';
import { countedFor, countedTimes } from './counters';

const from_ns = Date.UTC(2026, 9, 5, 10, 12, 3) * 1e6;

test('an interval of counters has a length and two times', () => {
  const interval = { from_ns, to_ns: from_ns + 1e9 };
  expect(countedFor(interval)).toBe('interval 1 s');
  expect(countedTimes(interval)).toBe('2026-10-05T10:12:03.000Z to 2026-10-05T10:12:04.000Z');
});

test('a single reading has an end only', () => {
  expect(countedFor({ from_ns, to_ns: from_ns })).toBe('totals since the switch booted');
  expect(countedTimes({ from_ns, to_ns: from_ns })).toBe('until 2026-10-05T10:12:03.000Z');
});
