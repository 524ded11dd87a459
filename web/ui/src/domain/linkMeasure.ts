// What the colour of a link of the map shows: how long its ports are paused, how long their queues are, or how busy they are.

import { heatStep, type PortState } from './heat';

export const LINK_MEASURES = ['paused', 'queue', 'utilisation'] as const;
export type LinkMeasure = (typeof LINK_MEASURES)[number];

/** Steps from 0, which is not drawn, to 4, so that the map is redrawn only when needed. */
export type MeasureStep = 0 | 1 | 2 | 3 | 4;

/** The measures in words: for a button, and as a title of the map. */
export const MEASURE_NAMES: Record<LinkMeasure, { button: string; title: string }> = {
  paused: { button: 'Paused', title: 'paused ports' },
  queue: { button: 'Queue', title: 'queues' },
  utilisation: { button: 'Utilisation', title: 'utilisation of links' },
};

/**
 * The least time that a queue needs to leave at the rate of the link, in nanoseconds, for each step: a packet of 1 kB at
 * 100 Gb/s needs 80 ns, and a round trip through a data centre some 10 us.
 */
const DRAIN_NS = [100, 1_000, 10_000, 100_000];
/** The least utilisation of each step. */
const BUSY = [0.01, 0.25, 0.5, 0.8];

/** What the steps of a measure are, from 1 to 4. Pauses have a legend of their own. */
export const MEASURE_STEPS: Record<Exclude<LinkMeasure, 'paused'>, readonly string[]> = {
  queue: ['drains in over 100 ns', 'over 1 µs', 'over 10 µs', 'over 100 µs'],
  utilisation: ['from 1 %', '25 %', '50 %', '80 %'],
};

function stepOf(value: number, least: number[]): MeasureStep {
  return least.filter((limit) => value >= limit).length as MeasureStep;
}

/** The step of a port whose link has this rate in bits per second. */
export function measureStep(measure: LinkMeasure, { heat, queueBytes, txBps }: PortState, rateBps: number): MeasureStep {
  if (measure === 'paused') return heatStep(heat);
  if (rateBps <= 0) return 0;
  return measure === 'queue' ? stepOf((queueBytes * 8e9) / rateBps, DRAIN_NS) : stepOf(txBps / rateBps, BUSY);
}
