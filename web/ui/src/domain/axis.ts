// The time axis of charts: the wall clock where the times are calendar time, else switch time relative to the latest value.

import { CALENDAR_NS, duration } from './format';

const CALENDAR_S = CALENDAR_NS / 1e9;
const DAY_S = 86_400;
const two = (number: number) => String(number).padStart(2, '0');

/** First and last time of charts that share an axis, in seconds; undefined without any. */
export function spanOf(...times: number[][]): [number, number] | undefined {
  const all = times.flat();
  return all.length > 0 ? [Math.min(...all), Math.max(...all)] : undefined;
}

/** Whether times in seconds are those of the wall clock. */
export function isCalendar(time_s: number): boolean {
  return time_s >= CALENDAR_S;
}

/** Date and time of this browser's zone, the same in every language; with milliseconds if they count. */
export function clockText(time_s: number, hasMilliseconds = false): string {
  const date = new Date(Math.round(time_s * 1000));
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${time}${hasMilliseconds ? `.${String(date.getMilliseconds()).padStart(3, '0')}` : ''}`;
}

/** Ticks of the wall clock: with the date if the axis is longer than a day, with milliseconds if it has ticks between seconds. */
export function clockTicks(ticks: number[], span_s: number): string[] {
  if (span_s > DAY_S) return ticks.map((tick) => clockText(tick).slice(5, 16));
  const isFine = ticks.some((tick) => Math.abs(tick - Math.round(tick)) > 5e-4);
  return ticks.map((tick) => clockText(tick, isFine).slice(11));
}

const UNITS: [number, string][] = [[1, 's'], [1e-3, 'ms'], [1e-6, 'µs'], [1e-9, 'ns']];

/** Ticks of switch time before the latest value, all with the unit of the largest and the decimals of the finest: "−20 ms". */
export function relativeTicks(ticks: number[]): string[] {
  const largest = Math.max(0, ...ticks.map(Math.abs));
  const [size, unit] = UNITS.find(([unitSize]) => largest >= unitSize) ?? UNITS[0] ?? [1, 's'];
  const values = ticks.map((tick) => tick / size);
  const decimals = Math.max(0, ...values.map((value) => (String(+value.toFixed(3)).split('.')[1] ?? '').length));
  return values.map((value) => (Math.abs(value) < 1e-6 ? `0 ${unit}` : `${value < 0 ? '\u2212' : ''}${Math.abs(value).toFixed(decimals)} ${unit}`));
}

/**
 * The wall clock at a switch time: that of the latest value until then, or of the first one; undefined without one. Between
 * two values it is not interpolated, because a simulated network may stand still.
 */
export function wallAt(times: number[], walls: (number | undefined)[], time_s: number): number | undefined {
  const after = times.findIndex((time, index) => time > time_s && walls[index] !== undefined);
  const until = walls.slice(0, after < 0 ? undefined : after).findLast((wall) => wall !== undefined);
  return until ?? walls[after];
}

/** A time of a chart in full: the wall clock, if it is known, how long before the latest value it was, and switch time. */
export function timeText(time_s: number, latest_s: number, wall_s?: number): string {
  const before = latest_s - time_s;
  const since = before > 0 ? `${duration(Math.round(before * 1e9))} before the latest` : 'latest';
  if (isCalendar(time_s)) return `${clockText(time_s, latest_s - time_s < 10)} (${since})`;
  const switchTime = `switch time ${time_s.toFixed(6)} s`;
  return wall_s === undefined ? `${since} (${switchTime})` : `${clockText(wall_s)} (${since}, ${switchTime})`;
}
