import { expect, test } from 'vitest';
import type { Diagnosis, RootCause } from './types';
import { foremostVictim } from './roles';
import { affectedText, countAffected, victimsOf, withVictims } from './victims';

const flow = (from: number, to: number) => `11.0.${from}.1:10000>11.0.${to}.1:100/udp`;
const root = (more: Partial<RootCause>): RootCause => ({ port: 'sw3:3', flows: [], host: null, config: [], ...more });
const four = [flow(1, 4), flow(2, 4), flow(3, 4), flow(5, 4)];

test('a culprit is no victim', () => {
  expect(victimsOf({ root_cause: root({ flows: four }), victims: [flow(9, 4), ...four] })).toEqual([flow(9, 4)]);
});

test('the flows at the port of a misconfiguration are victims', () => {
  expect(victimsOf({ root_cause: root({ flows: four, config: ['far/headroom'] }), victims: four })).toEqual(four);
});

test('in a deadlock the culprits may be the only victims', () => {
  for (const victims of [four, []]) {
    expect(countAffected({ root_cause: root({ flows: four }), victims, victim_count: 0 })).toBe(4);
  }
});

test('the number of victims is that of the server, which lists some of them', () => {
  expect(countAffected({ root_cause: root({ host: 'h4' }), victims: [flow(1, 9)], victim_count: 31 })).toBe(31);
});

test('if all victims of a diagnosis are culprits, one of its incident stands for the victims', () => {
  const diagnosis = { anomaly: 'deadlock_in_loop_contention', victim: four[0], victims: [four[0]], root_cause: root({ flows: four }) } as Diagnosis;
  expect(foremostVictim(diagnosis)).toBe(four[0]);
  expect(foremostVictim(withVictims(diagnosis, { victims: [flow(8, 9)] }))).toBe(flow(8, 9));
  expect(withVictims(null, { victims: four })).toBeNull();
});

test('a shortened list says how many flows it has', () => {
  expect(affectedText(2, 8)).toBe('2 of 8 affected flows');
  expect(affectedText(1, 1)).toBe('1 affected flow');
});
