// The interval of the counters that a verdict comes from, for people.

import { duration } from './format';

/** The interval, in nanoseconds since 1970. For a single reading both ends are equal. */
export interface CounterInterval {
  from_ns: number;
  to_ns: number;
}

/** How long the counters were counted. */
export function countedFor({ from_ns, to_ns }: CounterInterval): string {
  return to_ns > from_ns ? `interval ${duration(to_ns - from_ns)}` : 'totals since the switch booted';
}

/** From when to when. */
export function countedTimes({ from_ns, to_ns }: CounterInterval): string {
  const time = (ns: number) => new Date(ns / 1e6).toISOString();
  return to_ns > from_ns ? `${time(from_ns)} to ${time(to_ns)}` : `until ${time(to_ns)}`;
}
