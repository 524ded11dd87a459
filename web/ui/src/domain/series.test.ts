import { expect, test } from 'vitest';
import { flowPoints, portPoints, roundTripPoints } from './series';
import type { FlowSeries, PortSeries } from './types';

const FLOW: FlowSeries = { flow: '10.0.0.2:10000>10.0.0.4:4791/udp', resolution: 'epoch', epochs: [], round_trips: [], intervals: [] };

test('epochs of a flow have rates, shares of paused packets, and gaps where none was recorded', () => {
  const epoch = (time_ns: number) => ({ time_ns, time: '', interval_ns: 1000, packets: 10, bytes: 10_000, queued_packets: 5, paused_packets: 4 });
  const points = flowPoints({ ...FLOW, epochs: [epoch(1000), epoch(2000), { ...epoch(9000), packets: 0, paused_packets: 0 }] });
  expect(points.map((point) => [point.time_s * 1e9, point.rate_bps, point.paused_share])).toEqual([
    [1000, 80e9, 0.4],
    [2000, 80e9, 0.4],
    [expect.closeTo(3000), null, null],
    [9000, 80e9, null],
  ]);
});

test('a source without bytes has no rate', () => {
  const points = flowPoints({ ...FLOW, epochs: [{ time_ns: 1000, time: '', interval_ns: 1000, packets: 10, paused_packets: 0 }] });
  expect(points).toEqual([{ time_s: 1e-6, rate_bps: null, packets: 10, paused_share: 0, rtt_ns: null }]);
});

test('seconds without a record are gaps, and a second with a round trip only has no packets', () => {
  const second = (wall_s: number, more: object) => ({
    wall_ns: wall_s * 1e9,
    time: '',
    time_ns: 0,
    epochs: 1,
    interval_ns: 1000,
    packets: 10,
    paused_packets: 5,
    round_trips: 0,
    ...more,
  });
  const intervals = [second(7, { rate_bps: 8 }), second(8, { epochs: 0, packets: 0, paused_packets: 0, round_trips: 1, rtt_max_ns: 90 }), second(20, {})];
  const points = flowPoints({ ...FLOW, resolution: 'second', intervals });
  expect(points.map((point) => [point.time_s, point.rate_bps, point.packets, point.paused_share, point.rtt_ns])).toEqual([
    [7, 8, 10, 0.5, null],
    [8, null, null, null, 90],
    [9, null, null, null, null],
    [20, null, 10, 0.5, null],
  ]);
});

test('minutes of a port are points, with a gap where samples are missing', () => {
  const minute = (wall_s: number) => ({
    wall_ns: wall_s * 1e9,
    time: '',
    time_ns: 0,
    samples: 1,
    interval_ns: 100,
    paused_ns: 25,
    paused_priorities: [],
    tx_bps: 8,
    queue_max_bytes: 3,
    queue_mean_bytes: 2,
  });
  const series: PortSeries = { port: 'sw1:1', peer: null, rate_bps: null, resolution: 'minute', samples: [], intervals: [minute(60), minute(240)] };
  expect(portPoints(series)).toEqual([
    { time_s: 60, pause_share: 0.25, queue_bytes: 3, tx_bps: 8 },
    { time_s: 120, pause_share: null, queue_bytes: null, tx_bps: null },
    { time_s: 240, pause_share: 0.25, queue_bytes: 3, tx_bps: 8 },
  ]);
});

const TIME = '2026-11-28T07:09:55.500Z';

test('samples in memory have the wall clock beside switch time', () => {
  const sample = { time_ns: 2e6, interval_ns: 1e6, queue_bytes: 1, queue_packets: 1, paused: false, paused_ns: 5e5, tx_bps: 8, time: TIME };
  const series: PortSeries = { port: 'sw1:1', peer: null, rate_bps: null, resolution: 'epoch', samples: [sample], intervals: [] };
  expect(portPoints(series)).toEqual([{ time_s: 0.002, wall_s: Date.parse(TIME) / 1000, pause_share: 0.5, queue_bytes: 1, tx_bps: 8 }]);
});

test('round trips are points of their own', () => {
  const series = { ...FLOW, round_trips: [{ time_ns: 5e9, rtt_ns: 20_000, base_rtt_ns: 9_000, time: TIME }] };
  expect(roundTripPoints(series)).toEqual([{ time_s: 5, wall_s: Date.parse(TIME) / 1000, rtt_ns: 20_000 }]);
  expect(roundTripPoints(null)).toEqual([]);
});
