import { expect, test } from 'vitest';
import { compared, type Side } from './compare';

const flow = (n: number) => `10.0.0.${n}:1>10.0.1.1:2/udp`;

function side(change: object = {}, cost?: object): Side {
  const incident = {
    id: 'i', anomaly: 'flow_contention', cause: 'incast', severity: 'major', confidence: 0.8, count: 1, recurrences: 2,
    root_cause: { port: 'sw4:1', host: null, flows: [flow(1), flow(2)], config: [] },
    headline: { culprit: 'Incast of 2 flows', text: 'Incast of 2 flows slows 1 flow', place: 'sw4:1' },
    victims: [flow(9)], pause_path: ['sw2:3', 'sw4:1'], loop: [], start_ns: 0, end_ns: 5000,
    ...change,
  };
  return { incident, diagnosis: { cost } } as unknown as Side;
}

const differing = (a: Side, b: Side) => compared(a, b).filter((row) => row.differs).map((row) => row.name);

test('the same incident has no difference, and rows without a value are left out', () => {
  const rows = compared(side(), side());
  expect(rows.filter((row) => row.differs)).toEqual([]);
  expect(rows.map((row) => row.name)).not.toContain('Loop');
  expect(rows.map((row) => row.name)).not.toContain('Affected jobs');
});

test('values that only one has are marked; flows have no order, a path has one', () => {
  const other = side({ root_cause: { port: 'sw4:1', host: null, flows: [flow(3), flow(2)], config: [] }, pause_path: ['sw4:1', 'sw2:3'] });
  expect(differing(side(), other)).toEqual(['Culprit flows', 'Pause path']);
  const flows = compared(side(), other).find((row) => row.name === 'Culprit flows')!;
  expect(flows.a.map((value) => value.isOnlyHere)).toEqual([true, false]);
  const swapped = side({ root_cause: { port: 'sw4:1', host: null, flows: [flow(2), flow(1)], config: [] } });
  expect(differing(side(), swapped)).toEqual([]);
});

test('length and cost', () => {
  const ongoing = side({ end_ns: null }, { delay_ns: 1500, flows: 1, bytes: 10, jobs: 0 });
  expect(differing(side(), ongoing)).toEqual(['Diagnosed over', 'Delay of the victim', 'Affected bytes', 'Affected jobs']);
});

test('affected flows are those of the headline, also where the server lists some of them', () => {
  const rows = compared(side({ victim_count: 8 }), side());
  expect(rows.find((row) => row.name === 'Affected flows')?.a.map(({ text }) => text)).toEqual(['1 of 8 affected flows']);
  expect(rows.find((row) => row.name === 'Affected flows')?.b.map(({ text }) => text)).toEqual(['1 affected flow']);
});
