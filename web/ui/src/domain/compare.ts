// Two incidents side by side: the same properties of both, and which values only one of them has.
// The rows are those of any comparison: `periods.ts` has others.

import { anomalyName, bytes, causeName, duration, percent, plural } from './format';
import { lengthNs, long } from './times';
import type { Diagnosis, Incident } from './types';
import { affectedText, countAffected, victimsOf } from './victims';

/** An incident with its representative diagnosis. */
export interface Side {
  incident: Incident;
  diagnosis: Diagnosis;
}

/** What the values of a row are, and so how they are shown. */
export type ValueKind = 'text' | 'port' | 'node' | 'flow' | 'finding';

export interface Value {
  text: string;
  /** The other incident does not have this value. */
  isOnlyHere: boolean;
  /** A remark about it, e.g. how often it occurs. */
  note?: string;
}

export interface Row {
  name: string;
  kind: ValueKind;
  a: Value[];
  b: Value[];
  /** The two sides differ; for a path the order counts. */
  differs: boolean;
}

/** The rows of the comparison. */
export function compared(a: Side, b: Side): Row[] {
  const row = (name: string, kind: ValueKind, of: (side: Side) => string[]): Row => {
    const [left, right] = [of(a), of(b)];
    const marked = (values: string[], others: string[]) => values.map((text) => ({ text, isOnlyHere: !others.includes(text) }));
    const ordered = name === 'Pause path';
    const key = (values: string[]) => JSON.stringify(ordered ? values : values.toSorted());
    return { name, kind, a: marked(left, right), b: marked(right, left), differs: key(left) !== key(right) };
  };
  const one = (name: string, of: (side: Side) => string | null | undefined) =>
    row(name, 'text', (side) => [of(side)].filter((text): text is string => Boolean(text)));
  const root = ({ incident }: Side) => incident.root_cause;
  return [
    one('Culprit', ({ incident }) => incident.headline.culprit),
    one('Anomaly', ({ incident }) => anomalyName(incident.anomaly)),
    one('Cause', ({ incident }) => causeName(incident.cause)),
    one('Severity', ({ incident }) => incident.severity),
    one('Confidence', ({ incident }) => percent(incident.confidence)),
    row('Root port', 'port', (side) => listed(root(side).port)),
    row('Culprit host', 'node', (side) => listed(root(side).host)),
    row('Configuration', 'finding', (side) => root(side).config),
    row('Culprit flows', 'flow', (side) => (root(side).config.length > 0 ? [] : root(side).flows)),
    one('Affected flows', ({ incident }) => affectedText(victimsOf(incident).length, countAffected(incident))),
    row('Victims', 'flow', ({ incident }) => victimsOf(incident)),
    row('Pause path', 'port', ({ incident }) => incident.pause_path ?? []),
    row('Loop', 'port', ({ incident }) => incident.loop ?? []),
    one('Diagnosed over', length),
    one('Times', ({ incident }) => plural(incident.recurrences ?? 1, 'time')),
    one('Diagnoses', ({ incident }) => plural(incident.count, 'diagnosis', 'diagnoses')),
    ...costs(one),
  ].filter(({ a: left, b: right }) => left.length > 0 || right.length > 0);
}

function listed(value: string | null | undefined): string[] {
  return value ? [value] : [];
}

/** The latest time that it came back. */
function length({ incident }: Side): string {
  if ((incident.occurrences?.at(-1) ?? incident).end_ns === null) return 'ongoing';
  const ns = lengthNs(incident, { ms: 0, ns: null });
  return ns === null ? 'one time' : long(ns);
}

/** What the incident costs, as its representative diagnosis says; nothing for diagnoses of older servers. */
function costs(one: (name: string, of: (side: Side) => string | null | undefined) => Row): Row[] {
  const cost = (text: (cost: NonNullable<Diagnosis['cost']>) => string) => ({ diagnosis }: Side) =>
    diagnosis.cost ? text(diagnosis.cost) : null;
  return [
    one('Delay of the victim', cost(({ delay_ns }) => duration(delay_ns))),
    one('Affected bytes', cost(({ bytes: size }) => bytes(size))),
    one('Affected jobs', cost(({ jobs }) => plural(jobs, 'job'))),
  ];
}
