// When each port was paused, from the pause records of a diagnosis: rows of a chart, and the state at one time.

import { splitPort } from './flow';
import type { PortState } from './heat';
import type { Diagnosis, Evidence, Port } from './types';

export interface Pause {
  startNs: number;
  /** Null if the port was still paused when its switch was read. */
  endNs: number | null;
  /** The time until which the records show the port paused: the end, or when the switch was read. */
  knownNs: number;
  frames: number;
}

export interface PauseRow {
  port: Port;
  /** Position on the pause path, from 1; null for other ports. */
  hop: number | null;
  pauses: Pause[];
  /** Pauses that a claim counts and lists no record of: a claim has the first records only. */
  unlisted: number;
}

export interface PauseChart {
  rows: PauseRow[];
  startNs: number;
  /** The last time that the records tell about: the measurement, the end of a pause, or the time at which a switch was read. */
  endNs: number;
  /** When the victim was measured as slow. */
  slowNs: number;
}

type PauseRecord = Extract<Evidence['records'][number], { kind: 'pause' }>;

/**
 * When the switch of a port was read, from the pauses of the port and their sum up to then; null if the claim lacks the sum, one
 * of the pauses that it counts, or a pause that lasted.
 */
export function readNs({ records }: Pick<Evidence, 'records'>, port: Port): number | null {
  const total = records.find((record) => record.kind === 'pause_total' && record.port === port);
  const number = Number(splitPort(port).number);
  const pauses = records.filter((record): record is PauseRecord => record.kind === 'pause' && record.port === number);
  const open = pauses.filter(({ end_ns }) => typeof end_ns !== 'number');
  if (total?.kind !== 'pause_total' || total.pauses !== pauses.length || open.length === 0) return null;
  const ended = pauses.reduce((sum, { start_ns, end_ns }) => sum + (typeof end_ns === 'number' ? end_ns - start_ns : 0), 0);
  const starts = open.map(({ start_ns }) => start_ns);
  // Of several priorities, all pauses that lasted do so until the same time.
  const at = Math.round(starts.reduce((sum, start) => sum + start, total.paused_ns - ended) / open.length);
  return at >= Math.max(...starts) ? at : null;
}

/** The pauses of a diagnosis by port, those of the pause path first; null without a pause record. */
export function pauseChart(diagnosis: Diagnosis): PauseChart | null {
  const byPort = new Map<Port, Map<string, Pause>>();
  const counted = new Map<Port, number>();
  for (const evidence of diagnosis.evidence) {
    for (const record of evidence.records) {
      if (record.kind === 'pause_total') counted.set(record.port, Math.max(record.pauses, counted.get(record.port) ?? 0));
      if (record.kind !== 'pause' || !evidence.switch) continue;
      const port = `${evidence.switch}:${record.port}`;
      const pauses = byPort.get(port) ?? new Map<string, Pause>();
      // Several claims may refer to the same record; not each of them says when the switch was read.
      const key = `${record.start_ns} ${record.priority}`;
      // Switches are read after the measurement.
      const lasted = Math.max(record.start_ns, diagnosis.time_ns, readNs(evidence, port) ?? 0, pauses.get(key)?.knownNs ?? 0);
      pauses.set(key, {
        startNs: record.start_ns,
        endNs: record.end_ns ?? null,
        knownNs: record.end_ns ?? lasted,
        frames: record.frames,
      });
      byPort.set(port, pauses);
    }
  }
  if (byPort.size === 0) return null;
  const path = [...new Set([...diagnosis.pause_path, ...diagnosis.loop])];
  const others = [...byPort.keys()].filter((port) => !path.includes(port));
  const rows = [...path, ...others].map((port) => ({
    port,
    hop: path.includes(port) ? path.indexOf(port) + 1 : null,
    pauses: [...(byPort.get(port)?.values() ?? [])].sort((a, b) => a.startNs - b.startNs),
    unlisted: Math.max(0, (counted.get(port) ?? 0) - (byPort.get(port)?.size ?? 0)),
  }));
  const times = rows.flatMap((row) => row.pauses.flatMap(({ startNs, knownNs }) => [startNs, knownNs]));
  const startNs = Math.min(...times);
  return { rows, startNs, endNs: Math.max(diagnosis.time_ns, startNs + 1, ...times), slowNs: diagnosis.time_ns };
}

/** The step of a replay: most pauses last for some of them. */
const STEP_NS = 10_000;
/** A slider with more steps could not be set to a single one. */
const STEPS_MOST = 3000;

export interface ReplaySteps {
  stepNs: number;
  /** The number of the last step, at the end of the chart. */
  last: number;
}

/** The steps of a replay: of 10 us, or of the least multiple with which a long chart has few enough. */
export function replaySteps({ startNs, endNs }: Pick<PauseChart, 'startNs' | 'endNs'>): ReplaySteps {
  const steps = (endNs - startNs) / STEP_NS;
  const stepNs = STEP_NS * Math.max(1, Math.ceil(steps / STEPS_MOST));
  return { stepNs, last: Math.max(1, Math.ceil((endNs - startNs) / stepNs)) };
}

/** The time of a step. The last one is shorter if the chart does not end with a step. */
export function stepTime({ startNs, endNs }: Pick<PauseChart, 'startNs' | 'endNs'>, { stepNs }: ReplaySteps, step: number): number {
  return Math.min(endNs, startNs + step * stepNs);
}

/** Whether the records show a port paused at a time. Of a pause that lasted when its switch was read, that time counts. */
export function isPaused(row: PauseRow, atNs: number): boolean {
  return row.pauses.some(({ startNs, endNs, knownNs }) => startNs <= atNs && (endNs === null ? atNs <= knownNs : atNs < endNs));
}

/** Whether a port was still paused when its switch was read, and the time is after that. */
export function isAfterRead(row: PauseRow, atNs: number): boolean {
  return !isPaused(row, atNs) && row.pauses.some(({ endNs, knownNs }) => endNs === null && knownNs < atNs);
}

/** The ports that were paused at a time, in the form that the map shows the present in. */
export function replayed(chart: PauseChart, atNs: number): Map<Port, PortState> {
  const paused = chart.rows.filter((row) => isPaused(row, atNs));
  return new Map(
    paused.map(({ port }) => [
      port,
      {
        heat: 1,
        queueBytes: 0,
        txBps: 0,
        sample: { port, time_ns: atNs, interval_ns: 0, queue_bytes: 0, queue_packets: 0, paused: true, paused_ns: 0, tx_bps: 0 },
      },
    ]),
  );
}

export interface RingNode {
  port: Port;
  node: string;
  x: number;
  y: number;
  /** The arrow to the next port, as an SVG path; that of the last port closes the ring. */
  arrow: string;
}

/** The ports of a loop on a circle with the given radii, clockwise from the top. */
export function ring(loop: Port[], radiusX: number, radiusY: number, clear: number): RingNode[] {
  const angle = (index: number) => (2 * Math.PI * index) / loop.length - Math.PI / 2;
  const at = (turn: number) => ({ x: radiusX * Math.cos(turn), y: radiusY * Math.sin(turn) });
  const part = (2 * Math.PI) / Math.max(1, loop.length);
  return loop.map((port, index) => {
    const [from, to] = [at(angle(index) + part * clear), at(angle(index) + part * (1 - clear))];
    const arrow = `M${from.x.toFixed(1)} ${from.y.toFixed(1)}A${radiusX} ${radiusY} 0 ${part * (1 - 2 * clear) > Math.PI ? 1 : 0} 1 ${to.x.toFixed(1)} ${to.y.toFixed(1)}`;
    return { port, node: splitPort(port).node, ...at(angle(index)), arrow };
  });
}
