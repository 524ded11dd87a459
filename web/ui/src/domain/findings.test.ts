import { expect, test } from 'vitest';
import { bySeverity, checkFinding, citedFindings, citing, findingFilters, findingOf, findingQuery, neededDiagnoses } from './findings';
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

test('the message of a verdict is that of its first finding, not that of a risk', () => {
  const risk = { ...record, id: 'sw9/dscp', message: 'not the cause' };
  const verdict = (...config: string[]) => ({ evidence: [{ records: [risk, record] }], root_cause: { port: null, host: null, flows: [], config } }) as unknown as Diagnosis;
  expect(findingOf(verdict('sw2:3/headroom', 'sw9/dscp'))).toBe('too small');
  expect([findingOf(verdict()), findingOf(verdict('sw1/alpha'))]).toEqual([null, null]);
});

test('one diagnosis a finding is loaded', () => {
  expect(neededDiagnoses(incidents)).toEqual(['d-1', 'd-2']);
});

test('a stored finding with unknown fields is shown as JSON', () => {
  expect(checkFinding({ code: 'B1', file: 'a.json', line: 3, message: 'm' })).toMatchObject({ code: 'B1', place: 'a.json:3', message: 'm' });
  expect(checkFinding({ other: 1 }).json).toBe('{"other":1}');
});

test('a finding in a file has the incidents that cite its rule at its switch or at one of its ports', () => {
  const cited = [incident('1', ['leaf1/PG004']), incident('2', ['leaf1:5/PG004']), incident('3', ['leaf2/PG004']), incident('4', ['leaf1/PG005'])];
  const ids = (body: Record<string, unknown>) => citing(checkFinding(body), cited).map(({ id }) => id);
  expect(ids({ id: 'leaf1/PG004/0123', switch: 'leaf1', code: 'PG004' })).toEqual(['1', '2']);
  expect(ids({ id: 'leaf2/PG004', code: 'PG004' })).toEqual(['3']);
  expect(ids({ code: 'PG004' })).toEqual([]);
});

test('filters are those of the URL', () => {
  const filters = { severity: 'error', switch: 'a&b', code: '' };
  expect(findingQuery(filters)).toBe('severity=error&switch=a%26b');
  expect(findingFilters(new URLSearchParams(findingQuery(filters)))).toEqual(filters);
});

test('errors are first, and findings of one severity keep their order', () => {
  const findings = ['info 1', 'later 1', 'error 1', 'warning 1', 'error 2'].map((id) => checkFinding({ id, severity: id.split(' ')[0] }));
  expect(bySeverity(findings).map(({ id }) => id)).toEqual(['error 1', 'error 2', 'warning 1', 'info 1', 'later 1']);
});
