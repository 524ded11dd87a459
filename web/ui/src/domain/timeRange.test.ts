import { expect, test } from 'vitest';
import { fieldText, fieldTime, lastDays, parseRange, rangeText } from './timeRange';

test('a field has local time, a URL has UTC', () => {
  expect(fieldTime(fieldText('2026-01-31T03:00:00Z'))).toBe('2026-01-31T03:00:00Z');
  expect(fieldTime('')).toBe('');
  expect(fieldText('yesterday')).toBe('');
});

test('a range is one parameter, with both times in order', () => {
  const range = { since: '2026-01-31T03:00:00Z', until: '2026-01-31T04:00:00Z' };
  expect(parseRange(rangeText(range))).toEqual(range);
  expect(parseRange('2026-01-31T04:00:00+01:00/2026-01-31T04:00:00Z')).toEqual(range);
  for (const text of ['', '2026-01-31T03:00:00Z', 'a/b', rangeText({ since: range.until, until: range.since }), `${rangeText(range)}/x`]) {
    expect(parseRange(text), text).toBeNull();
  }
});

test('a comparison begins with the last day and the day before', () => {
  const { a, b } = lastDays(Date.parse('2026-01-31T03:00:00Z'));
  expect([rangeText(a), rangeText(b)]).toEqual(['2026-01-29T03:00:00Z/2026-01-30T03:00:00Z', '2026-01-30T03:00:00Z/2026-01-31T03:00:00Z']);
});
