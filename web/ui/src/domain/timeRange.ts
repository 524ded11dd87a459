// A range of wall-clock times: as REST and URLs have it (RFC 3339, UTC), and as the fields of a form have it (local time).

/** From a time until before another one; either may be absent. */
export interface TimeRange {
  since: string;
  until: string;
}

const HOUR_MS = 3_600_000;

/** The ranges that a button chooses, by the length of time until now. */
export const RECENT = [
  { label: 'last hour', ms: HOUR_MS },
  { label: 'last day', ms: 24 * HOUR_MS },
  { label: 'last week', ms: 7 * 24 * HOUR_MS },
] as const;

/** A time as REST reads it, to the second. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A time of a URL as the value of a `datetime-local` field; empty if it is none. */
export function fieldText(time: string): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return '';
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** The value of a `datetime-local` field as a time of a URL; empty if it is incomplete. */
export function fieldTime(value: string): string {
  // Without a zone, it is local time.
  const ms = value ? Date.parse(value) : Number.NaN;
  return Number.isNaN(ms) ? '' : timeText(ms);
}

/** A range in one parameter of a URL, as ISO 8601 has it: `SINCE/UNTIL`. */
export function rangeText({ since, until }: TimeRange): string {
  return `${since}/${until}`;
}

/** Reads a range of [`rangeText`]; null without both times in order. */
export function parseRange(text: string): TimeRange | null {
  const [since, until, ...rest] = text.split('/');
  const [from, to] = [Date.parse(since ?? ''), Date.parse(until ?? '')];
  return rest.length === 0 && from < to ? { since: timeText(from), until: timeText(to) } : null;
}

/** The day until now, and the day before: what a comparison begins with. */
export function lastDays(nowMs: number): { a: TimeRange; b: TimeRange } {
  const [before, day, now] = [nowMs - 48 * HOUR_MS, nowMs - 24 * HOUR_MS, nowMs].map(timeText) as [string, string, string];
  return { a: { since: before, until: day }, b: { since: day, until: now } };
}
