import { describe, expect, test } from 'vitest';
import { ago, lasting, long, occurrenceBars, ordinal, recurrence, shown, type Span, staleSince, wallClock } from './times';

// Local time, so that the expectation holds in every zone.
const now = new Date(2026, 10, 23, 3, 12, 47).getTime();
const iso = (secondsAgo: number) => new Date(now - secondsAgo * 1000).toISOString();
const at = { ms: now, ns: 11e9 };
const span = (more: Partial<Span>): Span => ({ start_ns: 1e9, update_ns: 1.04e9, end_ns: null, ...more });

describe('times', () => {
  test.each([
    [long(470_000), '470 µs'],
    [long(40e9), '40 s'],
    [long(12.4e9), '12 s'],
    [long(240e9), '4 min'],
    [long(7_500e9), '2 h 5 min'],
    [long(7_200e9), '2 h'],
    [long(3 * 86_400e9), '3 d'],
    [ago(now - 40_000, now), '40 s ago'],
    [ago(now + 5_000, now), 'now'],
    [wallClock(now - 40_000, now), '03:12:07'],
    [wallClock(now - 86_400_000, now), '2026-11-22 03:12:47'],
    [ordinal(1), '1st'],
    [ordinal(2), '2nd'],
    [ordinal(11), '11th'],
    [ordinal(39), '39th'],
    [ordinal(103), '103rd'],
    [ordinal(112), '112th'],
  ])('%s', (actual, expected) => expect(actual).toBe(expected));

  test('the wall clock is shown with the time since, and switch time is in the tooltip', () => {
    const { text, since, title } = shown(iso(40), 2_010_900_059, now);
    expect([text, since]).toEqual(['03:12:07', '40 s ago']);
    expect(title).toContain('switch time 2.010900 s');
    expect(shown(undefined, 2_010_900_059, now)).toMatchObject({ text: '2.010900 s', since: '' });
  });

  test('the length is that of switch time, whatever the wall clock says', () => {
    const until = { ms: now, ns: 1.09e9 };
    expect(lasting(span({ start_time: iso(240) }), until)).toBe('diagnosed for 90 ms');
    expect(lasting(span({ end_ns: 1.04e9, start_time: iso(240), end_time: iso(180) }), until)).toBe('diagnosed over 40 ms');
    // The latest diagnosis may be later than the latest sample, and switch time starts again with the network.
    expect(lasting(span({}), { ms: now, ns: null })).toBe('diagnosed for 40 ms');
    expect(lasting(span({}), { ms: now, ns: 5e6 })).toBe('diagnosed for 40 ms');
    expect(lasting(span({ update_ns: 1e9 }), { ms: now, ns: null })).toBe('');
  });

  test('switch time that is calendar time goes on without samples', () => {
    const start_ns = (now - 240_000) * 1e6;
    expect(lasting(span({ start_ns, update_ns: start_ns }), { ms: now, ns: null })).toBe('diagnosed for 4 min');
  });

  test('data is outdated when the stream is lost or silent, but not in a hidden tab', () => {
    const heard = { heardMs: now - 40_000, isLost: false, hasSamples: true, isAsleep: false };
    expect(staleSince(heard, now)).toBe(now - 40_000);
    expect(staleSince({ ...heard, heardMs: now - 1_000 }, now)).toBeNull();
    expect(staleSince({ ...heard, heardMs: now - 1_000, isLost: true }, now)).toBe(now - 1_000);
    // A deployment without samples is silent until something happens.
    expect(staleSince({ ...heard, hasSamples: false }, now)).toBeNull();
    expect(staleSince({ ...heard, isAsleep: true }, now)).toBeNull();
    expect(staleSince({ ...heard, heardMs: null, isLost: true }, now)).toBeNull();
  });

  test('the times of a recurring incident share one axis, which ends now', () => {
    const occurrences = [
      { start_ns: 1e9, end_ns: 2e9, start_time: iso(1000), end_time: iso(900) },
      { start_ns: 9e9, end_ns: null, start_time: iso(250) },
    ];
    const bars = occurrenceBars(span({ occurrences }), at);
    expect(bars.map(({ at, width, isOpen }) => [at, width, isOpen])).toEqual([[0, 0.1, false], [0.75, 0.25, true]]);
    expect(bars.map(({ length }) => length)).toEqual(['diagnosed over 1 s', 'diagnosed for 2 s']);
    // Without wall-clock times the axis is that of switch time.
    const network = occurrences.map(({ start_ns, end_ns }) => ({ start_ns, end_ns }));
    expect(occurrenceBars(span({ update_ns: 11e9, occurrences: network }), at).map(({ at, width }) => [at, width])).toEqual([[0, 0.1], [0.8, 0.2]]);
    expect(occurrenceBars(span({}), at)).toEqual([]);
    // A start after the time of the page is at the end of the axis, not beyond it.
    const early = [occurrences[0], { start_ns: 10e9, end_ns: null, start_time: iso(-30) }].flatMap((one) => one ?? []);
    expect(occurrenceBars(span({ occurrences: early }), at).map(({ at, width }) => at + width <= 1)).toEqual([true, true]);
  });

  test('a recurring incident has the length of its latest occurrence', () => {
    const occurrences = [
      { start_ns: 1e9, end_ns: 1.5e9, start_time: iso(900), end_time: iso(800) },
      { start_ns: 9e9, end_ns: null, start_time: iso(120) },
    ];
    const incident = span({ start_time: iso(900), update_time: iso(12), occurrences, recurrences: 39 });
    expect(lasting(incident, at)).toBe('diagnosed for 2 s');
    expect(recurrence(incident, now)).toBe('39th time, last 12 s ago');
    expect(recurrence({ ...incident, update_time: iso(0) }, now)).toBe('39th time, now');
    expect(recurrence(span({ recurrences: 1 }), now)).toBe('');
    expect(recurrence(span({ recurrences: 2 }), now)).toBe('2nd time');
  });
});
