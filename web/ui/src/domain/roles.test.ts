// Which flow, culprit and records a page puts first: headline, map and evidence must agree.

import { describe, expect, test } from 'vitest';
import { layFabric } from './fabric';
import { byEnds, shortName } from './flow';
import { codeParts, readable, sentence } from './format';
import { busiest, warm } from './heat';
import { foremostRecords } from './records';
import { foremostVictim, isItsOwnCause, namesCulprit, showsCause } from './roles';
import { flowRoutes, nodeRoles, traces } from './scene';
import { structureOf } from './structure';
import type { Anomaly, Cause, Diagnosis, EvidenceRecord, PortSample, Topology } from './types';

const flow = (from: number, to: number, port = 10_000) => `11.0.${from}.1:${port}>11.0.${to}.1:100/udp`;

/** h1, h2 and h3 at one switch. */
const topology: Topology = {
  nodes: [
    ...[1, 2, 3].map((n) => ({ name: `h${n}`, kind: 'host' as const, addresses: [`11.0.${n}.1`] })),
    { name: 'sw1', kind: 'switch' as const, addresses: [] },
  ],
  links: [1, 2, 3].map((n) => ({ a: `h${n}:1`, b: `sw1:${n}`, rate: 1e11, delay: 1e6 })),
};

const verdict = (parts: Partial<Diagnosis>): Diagnosis => ({
  id: 'd', time_ns: 1, victim: flow(1, 3), anomaly: 'flow_contention', cause: 'incast', summary: '', headline: { culprit: '', text: '' },
  confidence: 1, root_cause: { port: 'sw1:3', flows: [flow(1, 3)], host: null, config: [] }, pause_path: [], loop: [], spreaders: [],
  victims: [flow(1, 3), flow(2, 3)], evidence: [], missing: [], advice: [], collected: { switches: 1, bytes: 1, polls: 1 }, ...parts,
});

describe('the victim that a page names', () => {
  test.each([
    ['a measured flow that is no culprit', verdict({ victim: flow(2, 3) }), flow(2, 3)],
    ['another flow if the measured one is a culprit', verdict({}), flow(2, 3)],
    ['the measured flow if all are culprits', verdict({ victims: [flow(1, 3)] }), flow(1, 3)],
    ['the measured flow if it queues behind its own packets', verdict({ anomaly: 'self_inflicted' }), flow(1, 3)],
    ['none if switches count by port', verdict({ victim: null, victims: [], root_cause: { port: 'sw1:3', flows: [], host: 'h3', config: [] } }), null],
  ])('%s', (_, of, expected) => expect(foremostVictim(of)).toBe(expected));

  test('the map has it, above the lines of culprits', () => {
    const structure = structureOf(topology);
    const fabric = layFabric(topology, structure, new Set());
    const routes = flowRoutes(verdict({}), topology);
    const drawn = traces(routes, fabric).map(({ role, port }) => `${role} ${port}`);
    expect(drawn).toEqual(['culprit h1:1', 'culprit sw1:3', 'victim h1:1', 'victim sw1:3', 'victim h2:1']);
    expect(nodeRoles(verdict({}), routes, fabric, structure).get('h2')).toBe('victim');
  });
});

test.each<[Anomaly, Cause, boolean, boolean]>([
  ['flow_contention', 'incast', true, false],
  ['flow_contention', 'undetermined', true, false],
  ['host_only', 'undetermined', false, false],
  ['host_only', 'slow_receiver', true, false],
  ['undetermined', 'undetermined', false, false],
  ['packet_loss', 'undetermined', true, true],
  ['packet_loss', 'misconfiguration', true, false],
  ['path_change', 'undetermined', true, true],
])('%s, %s: whether the headline names a culprit, and whether the anomaly is the cause', (anomaly, cause, named, own) => {
  expect([namesCulprit({ anomaly, cause }), isItsOwnCause({ anomaly, cause })]).toEqual([named, own]);
});

test.each<[string, Anomaly, Cause, object, boolean]>([
  ['a cause', 'flow_contention', 'incast', { flows: [flow(1, 3)] }, true],
  ['no cause beside flows that the headline names', 'deadlock_in_loop_contention', 'undetermined', { flows: [flow(1, 3)] }, false],
  ['no cause beside a host', 'pfc_storm_host_injection', 'undetermined', { host: 'h4' }, false],
  ['no cause and nothing named', 'pfc_backpressure_flow_contention', 'undetermined', {}, true],
  ['a loss is its own cause', 'packet_loss', 'undetermined', {}, false],
])('a page states the cause: %s', (_, anomaly, cause, named, expected) => {
  expect(showsCause({ anomaly, cause, root_cause: { port: 'sw1:1', host: null, flows: [], config: [], ...named } })).toBe(expected);
});

test('flows between the same hosts are one entry with a number', () => {
  const flows = [flow(1, 3), flow(2, 3), flow(1, 3, 10_001), flow(3, 1)];
  expect(byEnds(flows, new Map())).toEqual([
    { flow: flow(1, 3), count: 2 },
    { flow: flow(2, 3), count: 1 },
    { flow: flow(3, 1), count: 1 },
  ]);
});

test.each([
  ['p3-edge2', 10, 'p3-edge2'],
  ['edge2.pod3.dc7.example.net', 10, 'edge2'],
  ['dc7-hall12-rack-41-edge2.example.net', 10, 'dc7…-edge2'],
  ['gpu-node-00011', 9, 'gp…-00011'],
])('the picture has %s as at most %s characters', (name, most, expected) => {
  expect(shortName(name, most)).toBe(expected);
});

test('texts of the analyzer have the units and arrows of the page', () => {
  expect(readable('h1 -> h3 took 13.3 us, 1.5 times 8.6 us; bus 3 used')).toBe('h1 → h3 took 13.3 µs, 1.5 times 8.6 µs; bus 3 used');
  expect(sentence('wait 5 us')).toBe('Wait 5 µs');
  expect(readable('1 packets and 21 packets, 2008308 bytes of 1 flows')).toBe('1 packet and 21 packets, 2.01 MB of 1 flow');
  // It may have ended since.
  expect(readable('keeps that port paused, for 337.3 us so far')).toBe('keeps that port paused, for at least 337.3 µs');
});

test('what is in backticks is code', () => {
  const code = (text: string) => codeParts(text).map(({ text: part, isCode }) => (isCode ? `[${part}]` : part));
  expect(code('Increase `xoff` of job `twins`')).toEqual(['Increase ', '[xoff]', ' of job ', '[twins]']);
  expect(code('`a` and ` alone')).toEqual(['[a]', ' and ` alone']);
  expect(code('plain')).toEqual(['plain']);
});

describe('the records of a claim that are shown first', () => {
  const ofFlow = (epoch: number, paused_packets: number, depth_sum = 0) => ({ kind: 'flow', epoch, paused_packets, depth_sum }) as EvidenceRecord;
  const pause = (start_ns: number, end_ns: number | null) => ({ kind: 'pause', start_ns, end_ns }) as EvidenceRecord;

  test('the paused epochs, in their order', () => {
    const records = [ofFlow(1, 0), ofFlow(2, 0), ofFlow(3, 2), ofFlow(4, 0), ofFlow(5, 9)];
    expect(foremostRecords(records, 2)).toEqual([ofFlow(3, 2), ofFlow(5, 9)]);
    expect(foremostRecords(records, 5)).toBe(records);
  });

  test('the deepest queues where nothing was paused', () => {
    expect(foremostRecords([ofFlow(1, 0, 3), ofFlow(2, 0, 80), ofFlow(3, 0, 40)], 2)).toEqual([ofFlow(2, 0, 80), ofFlow(3, 0, 40)]);
  });

  test('the longest pauses, one that has not ended before all others', () => {
    expect(foremostRecords([pause(0, 4), pause(5, 90), pause(95, 99), pause(100, null)], 2)).toEqual([pause(5, 90), pause(100, null)]);
  });

  test('the first ones of a list that is ordered by weight', () => {
    const weight = (of: number) => ({ kind: 'contribution', weight: of }) as EvidenceRecord;
    expect(foremostRecords([weight(9), weight(8), weight(-3)], 2)).toEqual([weight(9), weight(8)]);
  });
});

test('a port that is paused twice as long is above, whatever its queue', () => {
  const sample = (port: string, paused_ns: number, queue_bytes: number): PortSample => ({
    port, time_ns: 1, interval_ns: 100, queue_bytes, queue_packets: 0, paused: false, paused_ns, tx_bps: 0,
  });
  const ports = warm(new Map(), [sample('a:1', 1, 4_000), sample('b:1', 3, 0), sample('c:1', 90, 0), sample('d:1', 40, 9_000)]);
  expect(busiest(ports, 4).map((state) => state.sample.port)).toEqual(['c:1', 'd:1', 'b:1', 'a:1']);
});
