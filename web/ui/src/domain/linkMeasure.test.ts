import { expect, test } from 'vitest';
import { layFabric } from './fabric';
import { warm } from './heat';
import { LINK_MEASURES, measureStep, MEASURE_STEPS } from './linkMeasure';
import { measuredHalves } from './scene';
import type { PortSample, Topology } from './types';

const RATE = 1e11;
const sample = (port: string, more: Partial<PortSample> = {}): PortSample => ({
  port, time_ns: 1, interval_ns: 100, queue_bytes: 0, queue_packets: 0, paused: false, paused_ns: 0, tx_bps: 0, ...more,
});
const state = (more: Partial<PortSample>) => warm(new Map(), [sample('a:1', more)]).get('a:1')!;

test.each<[(typeof LINK_MEASURES)[number], Partial<PortSample>, number]>([
  ['paused', { paused_ns: 100 }, 4],
  ['paused', { queue_bytes: 9e6, tx_bps: RATE }, 0],
  ['queue', { paused_ns: 100, tx_bps: RATE }, 0],
  // Less than a packet of 1.25 kB, then one, and so on by powers of ten.
  ['queue', { queue_bytes: 1_000 }, 0],
  ['queue', { queue_bytes: 1_250 }, 1],
  ['queue', { queue_bytes: 130_000 }, 3],
  ['queue', { queue_bytes: 2e6 }, 4],
  ['utilisation', { tx_bps: 0.004 * RATE }, 0],
  ['utilisation', { tx_bps: 0.3 * RATE }, 2],
  ['utilisation', { tx_bps: 0.97 * RATE }, 4],
])('the step of %s at %j is %i', (measure, more, step) => expect(measureStep(measure, state(more), RATE)).toBe(step));

test('without a rate of the link only pauses are known', () => {
  const busy = state({ queue_bytes: 9e6, tx_bps: RATE, paused_ns: 100 });
  expect(LINK_MEASURES.map((measure) => measureStep(measure, busy, 0))).toEqual([4, 0, 0]);
});

test('queues and rates fade as pauses do, because samples see single moments', () => {
  const before = warm(new Map(), [sample('a:1', { queue_bytes: 1000, tx_bps: 100 })]);
  const after = warm(before, [sample('a:1')]).get('a:1')!;
  expect([after.queueBytes, after.txBps]).toEqual([820, 82]);
  expect(after.sample.queue_bytes).toBe(0);
});

test('half links of one step are one path, those of the sending port', () => {
  const topology: Topology = {
    nodes: [{ name: 'h1', kind: 'host', addresses: [] }, { name: 'h2', kind: 'host', addresses: [] }, { name: 's', kind: 'switch', addresses: [] }],
    links: [{ a: 'h1:1', b: 's:1', rate: RATE, delay: 1 }, { a: 'h2:1', b: 's:2', rate: RATE, delay: 1 }],
  };
  const fabric = layFabric(topology);
  const ports = warm(new Map(), [sample('h1:1', { tx_bps: RATE }), sample('h2:1', { tx_bps: RATE }), sample('s:1', { tx_bps: RATE / 2, queue_bytes: 2e6 })]);
  expect(measuredHalves('utilisation', ports, fabric).map(({ step, path }) => [step, path.split('M').length - 1])).toEqual([[3, 1], [4, 2]]);
  expect(measuredHalves('queue', ports, fabric).map(({ step }) => step)).toEqual([4]);
  expect(Object.values(MEASURE_STEPS).every((steps) => steps.length === 4)).toBe(true);
});
