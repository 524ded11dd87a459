// Two periods side by side: the incidents that lasted in each, by what they are, who causes them and where.

import { type Row, type Value, type ValueKind } from './compare';
import { anomalyName, causeName, count, plural, SEVERITIES } from './format';
import type { TimeRange } from './timeRange';
import type { Incident } from './types';

/** The incidents of a period. */
export interface Period {
  range: TimeRange;
  /** The latest of them: as many as one answer has. */
  incidents: Incident[];
  /** All of them. */
  total: number;
}

/** What is counted, with the number of incidents that have it. */
type Counts = Map<string, number>;

/** The rows of the comparison. Values are ordered by the number of their incidents, which stands behind each. */
export function comparedPeriods(a: Period, b: Period): Row[] {
  const row = (name: string, kind: ValueKind, of: (incident: Incident) => (string | null | undefined)[], shown = (value: string) => value): Row => {
    const [left, right] = [counted(a, of), counted(b, of)];
    return {
      name,
      kind,
      a: values(left, right, shown),
      b: values(right, left, shown),
      differs: left.size !== right.size || [...left].some(([value, times]) => right.get(value) !== times),
    };
  };
  const number = (name: string, of: (period: Period) => number): Row => {
    const [left, right] = [of(a), of(b)];
    const value = (mine: number): Value[] => [{ text: count(mine), isOnlyHere: left !== right }];
    return { name, kind: 'text', a: value(left), b: value(right), differs: left !== right };
  };
  return [
    number('Incidents', (period) => period.total),
    row('Severity', 'text', (incident) => [incident.severity]),
    row('Anomaly', 'text', (incident) => [incident.anomaly], anomalyName),
    row('Cause', 'text', (incident) => [incident.cause], causeName),
    row('Culprit', 'text', (incident) => [incident.headline.culprit]),
    row('Root port', 'port', (incident) => [incident.root_cause.port]),
    row('Culprit host', 'node', (incident) => [incident.root_cause.host]),
    row('Configuration', 'finding', (incident) => incident.root_cause.config),
    row('Victims', 'flow', (incident) => incident.victims),
  ].filter(({ a: left, b: right }) => left.length > 0 || right.length > 0);
}

function counted({ incidents }: Period, of: (incident: Incident) => (string | null | undefined)[]): Counts {
  const counts: Counts = new Map();
  for (const incident of incidents) {
    for (const value of new Set(of(incident))) if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function values(mine: Counts, others: Counts, shown: (value: string) => string): Value[] {
  const rank = (value: string) => (SEVERITIES as readonly string[]).indexOf(value);
  return [...mine]
    .sort(([a, times], [b, otherTimes]) => otherTimes - times || rank(b) - rank(a) || a.localeCompare(b))
    .map(([value, times]) => ({ text: shown(value), isOnlyHere: !others.has(value), note: plural(times, 'incident') }));
}
