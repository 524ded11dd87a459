import { describe, expect, test } from 'vitest';
import { comebacks, eventFilters, eventQuery, eventRow, parseRecords, selected } from './events';

const pause = 'id: a-2\nevent: pause\ndata: {"port":"sw1:1","paused":true,"time_ns":5,"time":"2026-01-01T00:00:00Z"}\n\n';

describe('records of the stream', () => {
  test('a text is cut at empty lines; the rest waits for more', () => {
    const { records, rest } = parseRecords(`: alive\n\n${pause}event: to`);
    expect(records.map(({ id, kind }) => [id, kind])).toEqual([['a-2', 'pause']]);
    expect(parseRecords(`${rest}pology\ndata: {}\n\n`).records[0]?.kind).toBe('topology');
  });

  test('a record names what it is about', () => {
    const [record] = parseRecords(pause).records;
    expect(eventRow(record!)).toEqual({ kind: 'pause', port: 'sw1:1', text: 'is paused', time: '2026-01-01T00:00:00Z', timeNs: 5 });
    const incident = { id: 'i-1', headline: { text: 'NIC storm at h1 stops 2 flows' }, update_ns: 7, end_ns: null };
    expect(eventRow({ id: 'a-3', kind: 'incident', data: { change: 'update', incident } })).toMatchObject({
      text: 'Continues: NIC storm at h1 stops 2 flows', incident: 'i-1', timeNs: 7,
    });
    expect(eventRow({ id: 'a-4', kind: 'diagnosis', data: { id: 'd', summary: 'h1 -> h2 waits 3 us' } }).text).toBe('h1 → h2 waits 3 µs');
    expect(eventRow({ id: null, kind: 'gap', data: { missed: 8 } }).text).toBe('8 older events are no longer available');
  });

  test('a recurrence is no continuation', () => {
    const change = (change: string, id: string, recurrences: number) => ({
      id: null, kind: 'incident', data: { change, incident: { id, headline: { text: `outage ${id}` }, update_ns: 1, end_ns: null, recurrences } },
    });
    const records = [
      // The older records of this incident are no longer available.
      change('update', 'b', 4), change('start', 'a', 1), change('update', 'a', 1), change('end', 'a', 1), change('end', 'b', 4),
      { id: null, kind: 'pause', data: {} }, change('update', 'a', 2), change('update', 'a', 2), change('update', 'b', 5),
    ];
    const back = comebacks(records);
    expect(records.map((record) => eventRow(record, back.has(record)).text.split(': outage')[0])).toEqual([
      'Continues', 'Started', 'Continues', 'Ended', 'Ended', '', 'Came back (2nd time)', 'Continues', 'Came back (5th time)',
    ]);
  });

  test.each([
    ['watchdog', { port: 'sw1:1' }],
    ['incident', { incident: null }],
    ['pause', 'not an object'],
  ])('a record of an unknown kind or shape is JSON: %s', (kind, data) => {
    expect(eventRow({ id: 'a-1', kind, data }).json).toBe(JSON.stringify(data));
  });

  test('filters are those of the URL, and the latest record is first', () => {
    const records = [1, 2, 3].map((n) => ({ id: `a-${n}`, kind: n === 2 ? 'pause' : 'topology', data: { port: `SW${n}:1` } }));
    expect(selected(records, { kind: '', search: '' }).map(({ id }) => id)).toEqual(['a-3', 'a-2', 'a-1']);
    expect(selected(records, { kind: 'topology', search: 'sw1' }).map(({ id }) => id)).toEqual(['a-1']);
    const filters = eventFilters(new URLSearchParams('kind=pause&search=a%26b'));
    expect(eventFilters(new URLSearchParams(eventQuery(filters)))).toEqual(filters);
    expect(eventQuery({ kind: '', search: '' })).toBe('');
  });
});
