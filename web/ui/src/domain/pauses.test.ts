import { describe, expect, test } from 'vitest';
import { isAfterRead, pauseChart, readNs, replayed, replaySteps, ring, stepTime } from './pauses';
import type { Diagnosis, Evidence } from './types';

const pause = (port: number, start_ns: number, end_ns: number | null) => ({ kind: 'pause' as const, port, priority: 3, start_ns, end_ns, frames: 1 });
const total = (port: string, pauses: number, paused_ns: number) => ({ kind: 'pause_total' as const, port, pauses, paused_ns });
const at = (node: string, ...records: Evidence['records']): Evidence => ({ claim: '', switch: node, port: null, epoch: null, records });
const diagnosis = (evidence: Evidence[]) => ({ time_ns: 900, pause_path: ['sw1:3', 'sw2:1'], loop: [], evidence }) as unknown as Diagnosis;

describe('pauses', () => {
  const chart = pauseChart(diagnosis([
    at('sw2', pause(1, 100, 400), pause(1, 500, null)),
    at('sw2', pause(1, 100, 400)),
    at('sw3', pause(7, 200, 300)),
  ]))!;

  test('rows follow the pause path, then other ports; a record counts once', () => {
    expect(chart.rows.map(({ port, hop, pauses }) => [port, hop, pauses.length])).toEqual([
      ['sw1:3', 1, 0], ['sw2:1', 2, 2], ['sw3:7', null, 1],
    ]);
    expect([chart.startNs, chart.endNs, chart.slowNs]).toEqual([100, 900, 900]);
  });

  test.each([
    [150, ['sw2:1']],
    [250, ['sw2:1', 'sw3:7']],
    [400, []],
    // A pause without an end lasts at least until the measurement.
    [899, ['sw2:1']],
  ])('at %i ns the paused ports are %j', (ns, ports) => {
    const state = replayed(chart, ns);
    expect([...state.keys()]).toEqual(ports);
    expect([...state.values()].every(({ heat, sample }) => heat === 1 && sample.paused)).toBe(true);
  });

  test.each([
    ['a short one', 113_000, 10_000, 12],
    ['one of less than a step', 800, 10_000, 1],
    ['3 000 steps', 30e6, 10_000, 3000],
    ['a little more', 30e6 + 1, 20_000, 1501],
    ['a second', 1e9, 340_000, 2942],
  ])('a replay has steps of 10 us, a long one of a multiple: %s', (_, length, stepNs, last) => {
    const span = { startNs: 7000, endNs: 7000 + length };
    const steps = replaySteps(span);
    expect(steps).toEqual({ stepNs, last });
    expect([0, 1, last].map((step) => stepTime(span, steps, step) - 7000)).toEqual([0, Math.min(stepNs, length), length]);
  });

  test.each([
    ['one pause', [total('sw2:1', 1, 700), pause(1, 500, null)], 1200],
    ['after pauses that ended', [total('sw2:1', 3, 700), pause(1, 100, 200), pause(1, 300, 350), pause(1, 500, null)], 1050],
    ['two priorities', [total('sw2:1', 2, 1300), pause(1, 500, null), { ...pause(1, 600, null), priority: 4 }], 1200],
    ['other ports', [total('sw2:1', 1, 700), total('sw2:2', 1, 10), pause(1, 500, null), pause(2, 900, null)], 1200],
    ['a pause that is not shown', [total('sw2:1', 2, 700), pause(1, 500, null)], null],
    ['no sum', [pause(1, 500, null)], null],
    ['no pause that lasted', [total('sw2:1', 1, 100), pause(1, 100, 200)], null],
    ['a sum that ends before the pause', [total('sw2:1', 2, 10), pause(1, 100, 200), pause(1, 500, null)], null],
  ])('the sum of the pauses tells when the switch was read: %s', (_, records, ns) => {
    expect(readNs({ records }, 'sw2:1')).toBe(ns);
  });

  test('the chart ends when the last switch was read', () => {
    const read = pauseChart(diagnosis([
      at('sw1', total('sw1:3', 1, 300), pause(3, 700, null)),
      // The same pause in a claim without the sum.
      at('sw2', total('sw2:1', 2, 1500), pause(1, 100, 400), pause(1, 500, null)),
      at('sw2', pause(1, 500, null)),
      at('sw3', pause(7, 950, null)),
    ]))!;
    expect(read.endNs).toBe(1700);
    expect(read.rows.map(({ pauses }) => pauses.map(({ knownNs }) => knownNs))).toEqual([[1000], [400, 1700], [950]]);
    // What a port did after its switch was read is not known.
    expect([...replayed(read, 1000).keys()]).toEqual(['sw1:3', 'sw2:1']);
    expect([...replayed(read, 1700).keys()]).toEqual(['sw2:1']);
    expect(read.rows.map((row) => isAfterRead(row, 1700))).toEqual([true, false, true]);
    expect(read.rows.map((row) => isAfterRead(row, 450))).toEqual([false, false, false]);
  });

  test('a row has the number of pauses that its records lack', () => {
    const many = pauseChart(diagnosis([at('sw2', total('sw2:1', 37, 900), pause(1, 100, 400), pause(1, 500, 600)), at('sw3', pause(7, 200, 300))]))!;
    expect(many.rows.map(({ unlisted }) => unlisted)).toEqual([0, 35, 0]);
  });

  test('without a pause record there is no chart', () => {
    expect(pauseChart(diagnosis([at('sw1')]))).toBeNull();
  });

  test('a ring starts at the top, goes clockwise and has an arrow for each port', () => {
    const nodes = ring(['a:1', 'b:2', 'c:3', 'd:4'], 100, 50, 0.2);
    expect(nodes.map(({ x, y }) => [Math.round(x) || 0, Math.round(y) || 0])).toEqual([[0, -50], [100, 0], [0, 50], [-100, 0]]);
    // The last arrow ends near the first port.
    const [x, y] = nodes[3]!.arrow.split(' 1 ')[1]!.split(' ').map(Number);
    expect(Math.hypot(x! - 0, y! + 50)).toBeLessThan(40);
  });
});
