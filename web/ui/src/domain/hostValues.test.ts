import { expect, test } from 'vitest';
import { hostValue } from './hostValues';
import { moments } from './moments';
import { recordRow } from './records';
import type { Evidence, EvidenceRecord } from './types';

const operation = { bytes: 16_000, connection: '10.0.9.1:1>10.0.6.1:2/udp', kind: 'send', success: true, t1_ns: 37_775_326, t2_ns: null };

test('of a list the length and the first entry are shown, with units', () => {
  const operations = Array.from({ length: 120 }, () => operation);
  const { facts, json } = hostValue('/latency/operations', JSON.stringify(operations));
  expect(facts).toEqual([
    ['/latency/operations', '120 entries'],
    ['first entry', 'bytes 16 kB, connection 10.0.9.1:1>10.0.6.1:2/udp, kind send, success yes, t1 0.037775 s'],
  ]);
  expect(JSON.parse(json ?? '')).toEqual(operations);
});

test.each([
  ['/counters/nics/0', { nic: 'nic0', line_rate_bps: 1e11, receive_full_ns: 0, waited_reads_ns: 1500, sent_pauses: [1, 2], wire: { a: 1 } }, 'nic nic0, line rate 100 Gb/s, receive full 0 ns, waited reads 1.5 µs, sent pauses 2 entries, wire 1 field'],
  ['/interval_ns', 60e9, '60 s'],
  ['/polls/gaps', [], '0 entries'],
  ['/workload/scaling/0/usual_bits_per_s', 9.7e10, '97 Gb/s'],
  ['/workload/cnp_peers/0/sender/generation', 6, '6'],
  ['/a', { share: 0.123456 }, 'share 0.1235'],
])('a value at %s', (pointer, value, text) => {
  expect(hostValue(pointer, JSON.stringify(value)).facts).toEqual([[pointer, text]]);
});

test('an object with many fields is cut off; its JSON is whole', () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`field_${index}`, index]));
  const { facts, json } = hostValue('/x', JSON.stringify(many));
  expect(facts[0]?.[1]).toMatch(/field 7 7, 12 more fields$/);
  expect(JSON.parse(json ?? '')).toEqual(many);
});

test('a value that is no JSON is shown as it is, cut off if it is long', () => {
  expect(hostValue('/x', 'mlx5_0')).toEqual({ facts: [['/x', 'mlx5_0']], json: null });
  const long = `[{"bytes":${'1'.repeat(300)}`;
  expect(hostValue('/x', long).facts[0]?.[1]).toHaveLength(161);
  expect(hostValue('/x', long).json).toBe(long);
});

test('a record of a host report has no long value', () => {
  const value = JSON.stringify(Array.from({ length: 500 }, () => operation));
  const record = { kind: 'host', host: 'h9', pointer: '/latency/operations', value } as EvidenceRecord;
  const row = recordRow(record, { claim: '', switch: null, port: null, epoch: null, records: [record] } as Evidence, moments(0, null));
  expect(row.facts.every(([, text]) => text.length < 200)).toBe(true);
  expect(row.json?.length).toBeGreaterThan(value.length);
});
