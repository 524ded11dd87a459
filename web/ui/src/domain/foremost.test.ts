// The incident that the first page shows.

import { describe, expect, test } from 'vitest';
import { foremost } from './foremost';
import type { Incident } from './types';

const of = (id: string, more: Partial<Incident> = {}) =>
  ({
    id, start_ns: 1, update_ns: 1, end_ns: null, confidence: 0.9, severity: 'major', anomaly: 'flow_contention',
    root_cause: { port: null, host: null, flows: [], config: [] }, ...more,
  }) as Incident;
const times = (...spans: [number, number | null][]): Partial<Incident> => ({
  end_ns: spans.at(-1)?.[1] ?? null,
  occurrences: spans.map(([start_ns, end_ns]) => ({ start_ns, end_ns })),
});
const MS = 1e6;

describe('the foremost incident', () => {
  test('is ongoing, certain and severe', () => {
    const guess = of('guess', { confidence: 0.2, severity: 'critical' });
    const minor = of('minor', { severity: 'minor' });
    const major = of('major');
    const ended = of('ended', { end_ns: 1, severity: 'critical' });
    expect(foremost([guess, minor, major, ended])?.id).toBe('major');
    expect(foremost([guess, ended])?.id).toBe('guess');
    expect(foremost([])).toBeNull();
  });

  test('has the gravest anomaly if the server sends no severities', () => {
    const { severity: _, ...queue } = of('queue');
    const { severity: __, ...deadlock } = of('deadlock', { anomaly: 'deadlock_in_loop_contention' });
    expect(foremost([queue as Incident, deadlock as Incident])?.id).toBe('deadlock');
  });

  test('is the one with the longer delay, then the more certain, then the latest of two that are alike', () => {
    const cost = (delay_ns: number) => ({ cost: { delay_ns, bytes: 0, flows: 1, jobs: 0 } });
    expect(foremost([of('short', { ...cost(9_000), confidence: 0.99 }), of('long', cost(90_000))])?.id).toBe('long');
    expect(foremost([of('less', { confidence: 0.7 }), of('more')])?.id).toBe('more');
    expect(foremost([of('early', times([3, null])), of('late', times([1, 2], [9, null]))])?.id).toBe('late');
  });

  test('stays while no other one is graver', () => {
    const [early, late] = [of('early', times([3, null])), of('late', { ...times([9, null]), confidence: 0.95, cost: { delay_ns: 5, bytes: 0, flows: 1, jobs: 0 } })];
    expect(foremost([early, late], 'early')?.id).toBe('early');
    expect(foremost([early, of('graver', { severity: 'critical' })], 'early')?.id).toBe('graver');
    expect(foremost([of('early', times([3, 4])), late], 'early')?.id).toBe('late');
    expect(foremost([early, late], 'removed')?.id).toBe('late');
  });
});

describe('a fault of the network', () => {
  const fault = (more: Partial<Incident>) => of('outage', { anomaly: 'path_change', fault: 'link_down', ...more });
  const queue = (more: Partial<Incident>) => of('queue', { anomaly: 'pfc_backpressure_flow_contention', confidence: 0.99, ...more });

  // The times of the scenario `link-flap`, whose rounds take 8.4 ms.
  test.each<[string, Partial<Incident>, Partial<Incident>]>([
    ['both are ongoing', times([4.77 * MS, null]), times([4.94 * MS, null])],
    ['the outage is over when the queue is diagnosed', times([4.77 * MS, 4.77 * MS]), times([4.94 * MS, null])],
    ['both have ended', times([4.77 * MS, 4.77 * MS]), times([4.94 * MS, 5.87 * MS])],
    ['the next outage begins', times([4.77 * MS, 4.77 * MS], [13.16 * MS, null]), times([4.94 * MS, 5.87 * MS])],
    ['the queue is diagnosed for the second time', times([4.77 * MS, 4.77 * MS], [13.16 * MS, 13.16 * MS]), times([4.94 * MS, 5.87 * MS], [13.4 * MS, null])],
  ])('is before the contention that follows it: %s', (_, outage, contention) => {
    expect(foremost([queue(contention), fault(outage)])?.id).toBe('outage');
    expect(foremost([queue(contention), fault(outage)], 'queue')?.id).toBe('outage');
  });

  test.each<[string, Incident, Incident]>([
    ['it is from another time', fault(times([1 * MS, 2 * MS])), queue(times([40 * MS, null]))],
    ['it begins after the contention has ended', fault(times([9 * MS, 9 * MS])), queue(times([4 * MS, 8 * MS]))],
    ['the contention costs more', fault(times([4 * MS, null])), queue({ ...times([5 * MS, null]), severity: 'critical' })],
    ['it is a guess', fault({ ...times([4 * MS, null]), confidence: 0.3 }), queue(times([5 * MS, null]))],
    ['it is no fault but lost packets of a full buffer', of('outage', { ...times([4 * MS, null]), anomaly: 'packet_loss', fault: null }), queue(times([5 * MS, null]))],
    ['a wrong setting explains the contention', fault(times([4 * MS, null])), queue({ ...times([5 * MS, null]), root_cause: { port: null, host: null, flows: [], config: ['x'] } })],
  ])('is not before it if %s', (_, outage, contention) => {
    expect(foremost([outage, contention])?.id).toBe('queue');
  });
});
