import { expect, test } from 'vitest';
import { clockTicks, relativeTicks, spanOf, timeText, wallAt } from './axis';

// Local time, so that the expectation holds in every zone.
const noon = new Date(2026, 10, 23, 12, 0, 0).getTime() / 1000;

test.each([
  [[-0.02, -0.01, 0], ['−20 ms', '−10 ms', '0 ms']],
  [[-0.0015, -0.001, -0.0005, 0], ['−1.5 ms', '−1.0 ms', '−0.5 ms', '0 ms']],
  [[-2.5e-5, 0], ['−25 µs', '0 µs']],
  [[-2, -1, 0], ['−2 s', '−1 s', '0 s']],
])('ticks of switch time %s', (ticks, texts) => expect(relativeTicks(ticks)).toEqual(texts));

test('ticks of the wall clock have what tells them apart', () => {
  expect(clockTicks([noon, noon + 30], 60)).toEqual(['12:00:00', '12:00:30']);
  expect(clockTicks([noon, noon + 0.25], 0.5)).toEqual(['12:00:00.000', '12:00:00.250']);
  expect(clockTicks([noon], 7 * 86_400)).toEqual(['11-23 12:00']);
});

test('the hover has both clocks', () => {
  expect(timeText(0.021, 0.024)).toBe('3 ms before the latest (switch time 0.021000 s)');
  expect(timeText(noon, noon + 60)).toBe('2026-11-23 12:00:00 (60 s before the latest)');
  expect(timeText(0.021, 0.024, noon)).toBe('2026-11-23 12:00:00 (3 ms before the latest, switch time 0.021000 s)');
});

test.each([
  ['at a value', 2, 20],
  ['between two values, of which the later one is not shown yet', 2.5, 20],
  ['before the first value', 0, 10],
  ['after the last value', 9, 40],
  ['at a gap', 3, 20],
])('the wall clock %s', (_, time_s, expected) => expect(wallAt([1, 2, 3, 4], [10, 20, undefined, 40], time_s)).toBe(expected));

test('values without a wall clock have none', () => {
  expect(wallAt([1, 2], [undefined, undefined], 1)).toBeUndefined();
  expect(wallAt([], [], 1)).toBeUndefined();
});

test('charts of one page share the axis', () => {
  expect(spanOf([3, 4], [], [1])).toEqual([1, 4]);
  expect(spanOf([])).toBeUndefined();
});
