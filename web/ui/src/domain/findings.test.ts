import { expect, test } from 'vitest';
import { checkFinding, citedFindings, neededDiagnoses } from './findings';
import type { Diagnosis, Incident } from './types';

const incident = (id: string, config: string[]) => ({ id, diagnosis: `d-${id}`, root_cause: { port: null, host: null, flows: [], config } }) as unknown as Incident;
const incidents = [incident('1', ['sw10/alpha']), incident('2', ['sw2:3/headroom', 'sw10/alpha']), incident('3', [])];
const record = { kind: 'configuration', id: 'sw2:3/headroom', switch: 'sw2', port: 3, message: 'too small', fix: 'set it to 40 kB' };
const diagnosis = { evidence: [{ records: [record] }] } as unknown as Diagnosis;

test('findings have the incidents that cite them, and the texts of the evidence', () => {
  const found = citedFindings(incidents, [diagnosis]);
  expect(found.map(({ id, switch: name, port, message, incidents: of }) => [id, name, port, message, of.map((one) => one.id)])).toEqual([
    ['sw2:3/headroom', 'sw2', 'sw2:3', 'too small', ['2']],
    ['sw10/alpha', 'sw10', null, null, ['1', '2']],
  ]);
});

test('one diagnosis a finding is loaded', () => {
  expect(neededDiagnoses(incidents)).toEqual(['d-1', 'd-2']);
});

test('a stored finding with unknown fields is shown as JSON', () => {
  expect(checkFinding({ code: 'B1', file: 'a.json', line: 3, message: 'm' })).toMatchObject({ code: 'B1', place: 'a.json:3', message: 'm' });
  expect(checkFinding({ other: 1 }).json).toBe('{"other":1}');
});
