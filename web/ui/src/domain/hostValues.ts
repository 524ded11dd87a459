// Values of a host's report as text. A record has the value as JSON, which may be a list of hundreds of operations: shown are
// its length and one entry, with the units that the names of fields end in.

import { bytes, clock, count, duration, plural, rate } from './format';

/** Fields of an object that are shown; the JSON has the rest. */
const FIELDS_MOST = 8;
/** Characters of a value that is no JSON: the server cuts off long ones. */
const TEXT_MOST = 160;

/** Names of points in switch time; other names that end in `_ns` are durations. */
const TIMES = /^(t\d|time|start|end|finish|sent|received)_ns$/;

/** How numbers are shown, by the end of the field's name. */
const UNITS: [RegExp, (value: number) => string][] = [
  [TIMES, clock],
  [/_ns$/, duration],
  [/(^|_)bytes$/, bytes],
  [/_(bps|bits_per_s)$/, rate],
  [/_mtps$/, (value) => `${count(value)} MT/s`],
  [/_percent$/, (value) => `${value} %`],
  [/_per_s$/, (value) => `${count(value)}/s`],
];

/** The words that follow from the unit, which is shown beside the number. */
const UNIT_WORDS = /_(ns|bps|bits_per_s|mtps|percent|per_s)$/;

export interface HostValue {
  /** Names and texts. */
  facts: [string, string][];
  /** The whole value as indented JSON, if the facts leave some of it out. */
  json: string | null;
}

/** The value at a JSON pointer of a report. */
export function hostValue(pointer: string, text: string): HostValue {
  const value = parsed(text);
  if (value === undefined) return { facts: [[pointer, text.length > TEXT_MOST ? `${text.slice(0, TEXT_MOST)}…` : text]], json: text.length > TEXT_MOST ? text : null };
  const json = JSON.stringify(value, null, 2);
  if (Array.isArray(value)) {
    const entries: [string, string] = [pointer, plural(value.length, 'entry', 'entries')];
    return value.length === 0 ? { facts: [entries], json: null } : { facts: [entries, ['first entry', shown('', value[0])]], json };
  }
  if (isObject(value)) return { facts: [[pointer, fields(value)]], json };
  return { facts: [[pointer, shown(pointer.split('/').at(-1) ?? '', value)]], json: null };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value within another one: of a list its length, of an object its fields. */
function shown(name: string, value: unknown): string {
  if (value === null) return 'unknown';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return quantity(name, value);
  if (Array.isArray(value)) return plural(value.length, 'entry', 'entries');
  return isObject(value) ? fields(value) : String(value);
}

/** The fields of an object that have a value: "kind send, bytes 16 kB". Lists and objects among them are counted only. */
function fields(value: Record<string, unknown>): string {
  const known = Object.entries(value).filter(([, field]) => field !== null);
  const texts = known.slice(0, FIELDS_MOST).map(([name, field]) => `${words(name)} ${isObject(field) ? plural(Object.keys(field).length, 'field') : shown(name, field)}`);
  const rest = known.length - texts.length;
  return [...texts, ...(rest > 0 ? [plural(rest, 'more field')] : [])].join(', ') || 'no fields';
}

function words(name: string): string {
  return name.replace(UNIT_WORDS, '').replaceAll('_', ' ');
}

function quantity(name: string, value: number): string {
  const unit = UNITS.find(([end]) => end.test(name));
  if (unit) return unit[1](value);
  return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4)));
}
