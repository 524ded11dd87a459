// Points in time of a diagnosis: relative to its measurement. The wall clock and switch time are in the tooltip.

import { CALENDAR_NS, clock, duration } from './format';
import { instant, long, localTime } from './times';

export interface Moment {
  /** Before (−) or after the measurement; "0" is the measurement. */
  text: string;
  title: string;
}

/** Describes a switch time. */
export type Moments = (ns: number) => Moment;

/** A point in time by both clocks, as the server sends it. */
export interface BothClocks {
  time?: string | null | undefined;
  ns: number;
}

const MINUTE_NS = 60e9;
/** Clocks are compared over at least this time, so that arrivals in quick succession do not look like a clock. */
const COMPARED_NS = 1e6;
/** The server sends wall clocks to the microsecond. */
const ROUNDED_US = 2;

/** Microseconds since 1970 of an RFC 3339 time; null without one. */
function instantUs(time: string | null | undefined): number | null {
  const ms = instant(time);
  if (ms === null) return null;
  const [, fraction = ''] = /\.(\d+)/.exec(time ?? '') ?? [];
  return Math.floor(ms / 1000) * 1e6 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

/**
 * The wall clock at switch time 0, in microseconds since 1970; null if none is known or both clocks differ in speed, as in a
 * simulated network, where the wall clock is that of arrival. Two points tell the speed.
 */
export function wallZeroUs(measured: BothClocks, others: BothClocks[]): number | null {
  if (measured.ns >= CALENDAR_NS) return 0;
  const us = instantUs(measured.time);
  if (us === null) return null;
  const isSame = others.some((other) => {
    const otherUs = instantUs(other.time);
    const ns = other.ns - measured.ns;
    return otherUs !== null && Math.abs(ns) >= COMPARED_NS && Math.abs(otherUs - us - ns / 1e3) <= ROUNDED_US;
  });
  return isSame ? us - measured.ns / 1e3 : null;
}

/** The moments of a diagnosis that was measured at a switch time; `zeroUs` as `wallZeroUs` returns it. */
export function moments(measuredNs: number, zeroUs: number | null): Moments {
  return (ns) => {
    const network = `switch time ${clock(ns)}`;
    const title = zeroUs === null ? network : `${wallClockUs(zeroUs + ns / 1e3)}, ${network}`;
    return { text: relative(ns - measuredNs), title };
  };
}

/** A time relative to the measurement: "−35.2 µs", "0", "+4 min". */
export function relative(ns: number): string {
  if (ns === 0) return '0';
  const size = Math.abs(ns);
  return `${ns < 0 ? '\u2212' : '+'}${size < MINUTE_NS ? duration(size) : long(size)}`;
}

/** Local date and time to the microsecond. */
function wallClockUs(us: number): string {
  const whole = Math.round(us);
  const { date, time } = localTime(Math.floor(whole / 1000));
  return `${date} ${time}.${String(whole % 1e6).padStart(6, '0')}`;
}
