import { describe, expect, test } from 'vitest';
import { moments, relative, wallZeroUs } from './moments';

describe('a moment of a diagnosis', () => {
  test.each([
    [0, '0'],
    [-35_200, '−35.2 µs'],
    [482_268, '+482 µs'],
    [-12_345_678_900, '−12.3 s'],
    [4 * 60e9, '+4 min'],
    [-2 * 86_400e9, '−2 d'],
  ])('is relative to the measurement: %i ns', (ns, text) => {
    expect(relative(ns)).toBe(text);
  });

  const measured = { time: '2026-01-02T12:00:00.907249Z', ns: 5_000_000 };
  test.each([
    ['a real network', [{ time: '2026-01-02T12:00:01.90725Z', ns: 1_005_000_000 }], 1_767_355_200_902_249],
    ['an earlier point', [{ time: '2026-01-02T12:00:00.905249Z', ns: 3_000_000 }], 1_767_355_200_902_249],
    ['times without a fraction', [{ time: '2026-01-02T12:00:02Z', ns: 1_097_751_000 }], 1_767_355_200_902_249],
    ['a simulated network', [{ time: '2026-01-02T12:00:01.907249Z', ns: 6_000_000 }], null],
    ['two that arrived at once', [{ time: '2026-01-02T12:00:00.907250Z', ns: 5_001_000 }], null],
    ['the same point', [measured], null],
    ['no other point', [], null],
    ['another point without a wall clock', [{ time: null, ns: 1_005_000_000 }], null],
  ])('has a wall clock if both clocks go at the same speed: %s', (_, others, zero) => {
    expect(wallZeroUs(measured, others)).toBe(zero);
  });

  test('without a wall clock, or with switch time that is calendar time', () => {
    expect(wallZeroUs({ ns: 5_000_000 }, [measured])).toBeNull();
    expect(wallZeroUs({ ns: 1_767_355_200e9 }, [])).toBe(0);
  });

  test('has both clocks in its tooltip, or switch time alone', () => {
    const zeroUs = Date.UTC(2026, 0, 2, 12) * 1e3 + new Date(Date.UTC(2026, 0, 2, 12)).getTimezoneOffset() * 60e6;
    expect(moments(4_550_182, zeroUs)(4_514_982)).toEqual({
      text: '−35.2 µs',
      title: '2026-01-02 12:00:00.004515, switch time 0.004515 s',
    });
    expect(moments(4_550_182, null)(4_550_182)).toEqual({ text: '0', title: 'switch time 0.004550 s' });
  });
});
