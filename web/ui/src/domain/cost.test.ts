import { expect, test } from 'vitest';
import { costs, lostPackets, slowDown } from './cost';
import type { Diagnosis, EvidenceRecord } from './types';

const VICTIM = '10.0.2.1:10000>10.0.10.1:4791/udp';

const trigger = (rtt_ns: number, flow = VICTIM) => ({ kind: 'trigger', host: 'h2', flow, time_ns: 1, reason: 'slow_rtt', base_rtt_ns: 1000, rtt_ns }) as EvidenceRecord;
const loss = (packets: number, egress_port: number) =>
  ({ kind: 'loss', switch: 'far', ingress_port: 1, egress_port, packets, reason: 'headroom', lost_ns: [1, 2] }) as unknown as EvidenceRecord;

function diagnosis(delay_ns: number, ...records: EvidenceRecord[][]): Diagnosis {
  const evidence = records.map((of) => ({ claim: '', switch: null, port: null, epoch: null, records: of }));
  return { anomaly: 'packet_loss', victim: VICTIM, evidence, cost: { delay_ns, bytes: 0, flows: 1, jobs: 0 } } as unknown as Diagnosis;
}

test('lost packets are those of all records, each counted once', () => {
  expect(lostPackets(diagnosis(0, [trigger(2000)]))).toBe(0);
  expect(lostPackets(diagnosis(0, [loss(40, 2), loss(40, 3)], [loss(40, 2)]))).toBe(80);
});

test('a queue did not lose the packets of a link that failed', () => {
  const down = { ...loss(33, 3), reason: 'link_down' } as EvidenceRecord;
  const queue = { ...diagnosis(0, [down, loss(40, 2)]), anomaly: 'pfc_backpressure_flow_contention' } as Diagnosis;
  expect(lostPackets(queue)).toBe(40);
  expect(lostPackets({ ...queue, anomaly: 'path_change' })).toBe(73);
});

test('the slow-down is that of the slowest round trip of the victim', () => {
  expect(slowDown(diagnosis(0, [trigger(1500), trigger(71_300)], [trigger(900_000, '10.0.3.1:1>10.0.10.1:4791/udp')]))).toBe(71.3);
  expect(slowDown(diagnosis(0, [loss(1, 2)]))).toBeNull();
});

test.each<[string, Diagnosis, string[]]>([
  ['a delay and losses', diagnosis(70_300, [trigger(71_300)], [loss(4553, 2)]), ['delayed by up to 70.3 µs, 71 × its base RTT', '4\u2009553 packets lost']],
  ['one lost packet of a flow without a measurement', diagnosis(0, [loss(1, 2)]), ['1 packet lost']],
  ['a small factor has a decimal', diagnosis(840, [trigger(1840)]), ['delayed by up to 840 ns, 1.8 × its base RTT']],
  ['nothing', diagnosis(0), []],
])('the cost in words: %s', (_, given, expected) => expect(costs(given)).toEqual(expected));

const operation = (reason: string, expected_ns?: number) => ({ ...trigger(60_000), reason, expected_ns }) as EvidenceRecord;

test.each<[string, number, EvidenceRecord, string]>([
  ['operations', 40_000, operation('slow_operation', 20_000), 'operations took up to 40 µs longer, 3 × the expected time'],
  ['iterations of a job', 20_000, operation('slow_job', 40_000), 'iterations took up to 20 µs longer, 1.5 × the expected time'],
  ['operations of an unknown time', 40_000, operation('slow_operation'), 'operations took up to 40 µs longer'],
])('round trips are not what was slow: %s', (_, delay_ns, record, expected) => expect(costs(diagnosis(delay_ns, [record]))).toEqual([expected]));

test('the cost of a diagnosis comes before the records of its evidence', () => {
  const judged = { ...diagnosis(9000, [trigger(1500)], [loss(40, 2)]), cost: { delay_ns: 9000, base_rtt_ns: 500, bytes: 0, flows: 1, jobs: 0, lost_packets: 7 } };
  expect(costs(judged as Diagnosis)).toEqual(['delayed by up to 9 µs, 19 × its base RTT (worst poll of the event; the one shown: 500 ns)', '7 packets lost']);
});

test.each<[string, number, EvidenceRecord, string]>([
  ['a follow-up poll measured more', 193_227, { ...trigger(27_292), base_rtt_ns: 15_371 } as EvidenceRecord, '(worst poll of the event; the one shown: 11.9 µs)'],
  ['the same up to rounding', 70_000, trigger(70_500), 'its base RTT'],
  ['operations', 90_000, operation('slow_operation', 20_000), '(worst poll of the event; the one shown: 40 µs)'],
])('a delay that another poll of the event measured is named so: %s', (_, delay_ns, record, end) => {
  expect(costs(diagnosis(delay_ns, [record]))[0]?.endsWith(end)).toBe(true);
});
