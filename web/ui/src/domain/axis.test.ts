import { expect, test } from 'vitest';
import { clockTicks, relativeTicks, spanOf, timeText } from './axis';

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
});

test('charts of one page share the axis', () => {
  expect(spanOf([3, 4], [], [1])).toEqual([1, 4]);
  expect(spanOf([])).toBeUndefined();
});
