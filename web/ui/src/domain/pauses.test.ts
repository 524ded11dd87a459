import { describe, expect, test } from 'vitest';
import { pauseChart, replayed, replaySteps, ring, stepTime } from './pauses';
import type { Diagnosis, Evidence } from './types';

const pause = (port: number, start_ns: number, end_ns: number | null) => ({ kind: 'pause' as const, port, priority: 3, start_ns, end_ns, frames: 1 });
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
    // A pause without an end lasts beyond the records.
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
