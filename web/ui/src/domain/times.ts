// Times of an incident for people: the wall clock where the server has it, the time since then, and switch time.

import { CALENDAR_NS, clock, duration } from './format';

const MINUTE_NS = 60e9;
const HOUR_NS = 60 * MINUTE_NS;
const DAY_NS = 24 * HOUR_NS;

/** A duration in words of a clock from one minute on: "4 min", "2 h 5 min", "3 d". */
export function long(ns: number): string {
  if (ns < MINUTE_NS) return duration(ns < 1e9 ? ns : Math.round(ns / 1e9) * 1e9);
  if (ns < HOUR_NS) return `${Math.round(ns / MINUTE_NS)} min`;
  if (ns >= DAY_NS) return `${Math.round(ns / DAY_NS)} d`;
  const minutes = Math.round(ns / MINUTE_NS);
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Milliseconds since 1970 of an RFC 3339 time, or null without a valid one. */
export function instant(time: string | null | undefined): number | null {
  const ms = time ? Date.parse(time) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

/** "40 s ago"; times of a server whose clock is ahead count as now. */
export function ago(ms: number, nowMs: number): string {
  const past = nowMs - ms;
  return past < 1000 ? 'now' : `${long(Math.floor(past / 1000) * 1e9)} ago`;
}

/** Local date and time of day. */
export function localTime(ms: number): { date: string; time: string } {
  const at = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  return {
    date: `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`,
    time: `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`,
  };
}

/** Local time of day, "03:12:07"; with the date if it is another day. */
export function wallClock(ms: number, nowMs: number): string {
  const { date, time } = localTime(ms);
  return date === localTime(nowMs).date ? time : `${date} ${time}`;
}

/** What is known about the live stream. */
export interface Hearing {
  /** When the server was last heard, in milliseconds since 1970. */
  heardMs: number | null;
  isLost: boolean;
  /** The connection has delivered samples: they come ten times a second. */
  hasSamples: boolean;
  /** A hidden tab follows nothing. */
  isAsleep: boolean;
}

/** A connection that delivered samples and then none for this long is silent. */
const SILENT_MS = 5000;

/** The time of the data if it is outdated, because the stream is lost or silent; else null. */
export function staleSince({ heardMs, isLost, hasSamples, isAsleep }: Hearing, nowMs: number): number | null {
  if (heardMs === null || isAsleep) return null;
  return isLost || (hasSamples && nowMs - heardMs > SILENT_MS) ? heardMs : null;
}

/** A point in time: what to show, the time since, and the tooltip. */
export interface Shown {
  text: string;
  since: string;
  title: string;
}

/** Wall clock with switch time in the tooltip; switch time alone if the server has no wall clock. */
export function shown(time: string | null | undefined, ns: number, nowMs: number): Shown {
  const ms = instant(time);
  const network = `switch time ${clock(ns)}`;
  if (ms === null) return { text: clock(ns), since: '', title: network };
  return { text: wallClock(ms, nowMs), since: ago(ms, nowMs), title: `${new Date(ms).toISOString()}, ${network}` };
}

/** The part of an incident that tells when it was. */
export interface Span {
  start_ns: number;
  update_ns: number;
  end_ns: number | null;
  start_time?: string | null;
  update_time?: string | null;
  end_time?: string | null;
  recurrences?: number;
  occurrences?: { start_ns: number; end_ns: number | null; start_time?: string | null; end_time?: string | null }[];
}

/** Now, by both clocks. */
export interface Now {
  /** Milliseconds since 1970. */
  ms: number;
  /** The latest switch time that is known; null before the first sample. */
  ns: number | null;
}

/**
 * For how long the latest occurrence has been diagnosed, in switch time; null if it has no length yet, as with a single
 * diagnosis. Its pauses may be older than its first diagnosis. Switch time is the clock of the network: the wall clock
 * of a demo runs much faster.
 */
export function lengthNs(incident: Span, now: Now): number | null {
  const latest = incident.occurrences?.at(-1) ?? incident;
  // A network that was started again has another switch time.
  const isCalendar = latest.start_ns >= CALENDAR_NS;
  const nowNs = isCalendar ? now.ms * 1e6 : (now.ns ?? 0);
  const known = latest.end_ns ?? incident.end_ns ?? Math.max(incident.update_ns, nowNs);
  return known > latest.start_ns ? known - latest.start_ns : null;
}

/** The length in words: "diagnosed for 4 min" while it lasts, "diagnosed over 40 ms" afterwards; empty without a length. */
export function lasting(incident: Span, now: Now): string {
  const ns = lengthNs(incident, now);
  if (ns === null) return '';
  return incident.end_ns === null ? `diagnosed for ${long(ns)}` : `diagnosed over ${long(ns)}`;
}

/** "39th time, last 12 s ago"; empty if it came once. */
export function recurrence(incident: Span, nowMs: number): string {
  const times = incident.recurrences ?? incident.occurrences?.length ?? 1;
  if (times <= 1) return '';
  const last = instant(incident.update_time);
  if (last === null) return `${ordinal(times)} time`;
  const since = ago(last, nowMs);
  return `${ordinal(times)} time, ${since === 'now' ? 'now' : `last ${since}`}`;
}

/** One time of a recurring incident, for a chart and a table. */
export interface OccurrenceBar {
  /** Start and length in shares of the whole time. */
  at: number;
  width: number;
  isOpen: boolean;
  start: Shown;
  length: string;
}

/** The times of a recurring incident on one axis that ends now, by the wall clock where all have it. */
export function occurrenceBars(incident: Span, now: Now): OccurrenceBar[] {
  const all = incident.occurrences ?? [];
  const nowMs = now.ms;
  const hasClock = all.every((one) => instant(one.start_time) !== null);
  const start = (one: (typeof all)[number]) => (hasClock ? (instant(one.start_time) ?? 0) : one.start_ns / 1e6);
  const nowAt = hasClock ? nowMs : incident.update_ns / 1e6;
  const end = (one: (typeof all)[number]) => {
    if (one.end_ns === null) return nowAt;
    return hasClock ? (instant(one.end_time) ?? start(one)) : one.end_ns / 1e6;
  };
  const first = Math.min(...all.map(start));
  // The clock of the page may be behind a start that the server has just reported.
  const whole = Math.max(1e-9, nowAt - first, ...all.map((one) => Math.max(start(one), end(one)) - first));
  return all.map((one) => ({
    at: (start(one) - first) / whole,
    width: Math.max(0, end(one) - start(one)) / whole,
    isOpen: one.end_ns === null,
    start: shown(one.start_time, one.start_ns, nowMs),
    length: lasting({ ...one, update_ns: one.end_ns ?? incident.update_ns }, now),
  }));
}

/** 1st, 2nd, 3rd, 4th, 11th. */
export function ordinal(value: number): string {
  const teen = value % 100 >= 11 && value % 100 <= 13;
  const like = teen ? undefined : '1st 2nd 3rd'.split(' ')[(value % 10) - 1];
  return `${value}${like?.slice(1) ?? 'th'}`;
}
