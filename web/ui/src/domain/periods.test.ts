import { expect, test } from 'vitest';
import { comparedPeriods, type Period } from './periods';
import type { Incident } from './types';

const range = { since: '2026-01-31T03:00:00Z', until: '2026-01-31T04:00:00Z' };

function incident(change: object = {}): Incident {
  return {
    id: 'i', anomaly: 'flow_contention', cause: 'incast', severity: 'minor', victims: [],
    root_cause: { port: 'sw4:1', host: null, flows: [], config: [] },
    headline: { culprit: 'Incast of 2 flows', text: 'Incast of 2 flows slows 1 flow', place: 'sw4:1' },
    ...change,
  } as unknown as Incident;
}

const period = (...incidents: Incident[]): Period => ({ range, incidents, total: incidents.length });
const storm = incident({ anomaly: 'pfc_storm_host_injection', cause: 'nic_storm', severity: 'critical', headline: { culprit: 'NIC storm at h11', text: '', place: 'sw1:1' } });

test('the same incidents make no difference', () => {
  const rows = comparedPeriods(period(incident(), storm), period(storm, incident()));
  expect(rows.filter((row) => row.differs)).toEqual([]);
  expect(rows.map((row) => row.name)).not.toContain('Configuration');
});

test('values are counted, most frequent first, and those of one period are marked', () => {
  const rows = comparedPeriods(period(incident(), incident(), storm), period(incident()));
  const anomaly = rows.find((row) => row.name === 'Anomaly')!;
  expect(anomaly.differs).toBe(true);
  expect(anomaly.a).toEqual([
    { text: 'Flow contention', isOnlyHere: false, note: '2 incidents' },
    { text: 'Pause storm of a host', isOnlyHere: true, note: '1 incident' },
  ]);
  expect(anomaly.b).toEqual([{ text: 'Flow contention', isOnlyHere: false, note: '1 incident' }]);
  expect(rows.find((row) => row.name === 'Incidents')!.a).toEqual([{ text: '3', isOnlyHere: true }]);
});

test('a period without an incident is compared as well', () => {
  const rows = comparedPeriods(period(), period(storm));
  expect(rows.find((row) => row.name === 'Culprit')).toMatchObject({ a: [], differs: true });
});
