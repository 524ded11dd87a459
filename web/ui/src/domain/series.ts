// Points of charts from the series of ports and flows.

import { pauseShare } from './heat';
import { instant } from './times';
import type { FlowSeries, PortSeries } from './types';

/** The values of a chart's quantities at one time; null is a gap. `wall_s` is the wall clock beside switch time, if it is known. */
export type Point<Q extends string> = { time_s: number; wall_s?: number } & Record<Q, number | null>;

/** The wall clock of a point, in seconds since 1970; empty without one. */
function wall(time: string | null | undefined): { wall_s?: number } {
  const ms = instant(time);
  return ms === null ? {} : { wall_s: ms / 1000 };
}

export type PortQuantity = 'pause_share' | 'queue_bytes' | 'tx_bps';
export type FlowQuantity = 'rate_bps' | 'packets' | 'paused_share' | 'rtt_ns';

/** Adds a gap after each point that no point follows within one and a half steps: without samples there is no value. */
function withGaps<Q extends string>(points: Point<Q>[], step_s: number, gap: Record<NoInfer<Q>, null>): Point<Q>[] {
  return points.flatMap((point, index) => {
    const next = points[index + 1];
    if (!next || next.time_s - point.time_s < 1.5 * step_s) return [point];
    return [point, { time_s: point.time_s + step_s, ...gap } as Point<Q>];
  });
}

const stepOf = (resolution: 'second' | 'minute') => (resolution === 'second' ? 1 : 60);

/** The points of a port's charts. */
export function portPoints(series: PortSeries | null): Point<PortQuantity>[] {
  if (!series) return [];
  if (series.resolution === 'epoch')
    return series.samples.map((sample) => ({
      time_s: sample.time_ns / 1e9,
      ...wall(sample.time),
      pause_share: pauseShare(sample),
      queue_bytes: sample.queue_bytes,
      tx_bps: sample.tx_bps,
    }));
  const points = series.intervals.map((interval): Point<PortQuantity> => ({
    time_s: interval.wall_ns / 1e9,
    pause_share: pauseShare({ ...interval, paused: false }),
    queue_bytes: interval.queue_max_bytes,
    tx_bps: interval.tx_bps,
  }));
  return withGaps(points, stepOf(series.resolution), { pause_share: null, queue_bytes: null, tx_bps: null });
}

const NO_FLOW = { rate_bps: null, packets: null, paused_share: null, rtt_ns: null };
const share = (part: number, all: number) => (all > 0 ? part / all : null);

/** The points of a flow's charts: of the epochs in memory by switch time, else by the wall clock. */
export function flowPoints(series: FlowSeries | null): Point<FlowQuantity>[] {
  if (!series) return [];
  if (series.resolution !== 'epoch') {
    const points = series.intervals.map((interval): Point<FlowQuantity> => ({
      time_s: interval.wall_ns / 1e9,
      rate_bps: interval.rate_bps ?? null,
      packets: interval.epochs > 0 ? interval.packets : null,
      paused_share: share(interval.paused_packets, interval.packets),
      rtt_ns: interval.rtt_max_ns ?? null,
    }));
    return withGaps(points, stepOf(series.resolution), NO_FLOW);
  }
  const epochs = series.epochs.map((epoch): Point<FlowQuantity> => ({
    time_s: epoch.time_ns / 1e9,
    ...wall(epoch.time),
    rate_bps: epoch.bytes === undefined || epoch.bytes === null || epoch.interval_ns === 0 ? null : (epoch.bytes * 8e9) / epoch.interval_ns,
    packets: epoch.packets,
    paused_share: share(epoch.paused_packets, epoch.packets),
    rtt_ns: null,
  }));
  const step_s = Math.max(...series.epochs.map((epoch) => epoch.interval_ns), 0) / 1e9;
  return withGaps(epochs, step_s, NO_FLOW);
}

/** The round trips of a flow that are in memory. */
export function roundTripPoints(series: FlowSeries | null): { time_s: number; wall_s?: number; rtt_ns: number }[] {
  return (series?.round_trips ?? []).map((trip) => ({ time_s: trip.time_ns / 1e9, ...wall(trip.time), rtt_ns: trip.rtt_ns }));
}
