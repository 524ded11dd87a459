// The records of the live stream as rows: what happened, when, and where to read on. Records of an unknown kind, as a
// newer server may send them, are shown as JSON.

import { plural, sentence } from './format';
import { ordinal } from './times';
import type { Incident } from './types';

/** A record of the live stream as it was received. */
export interface StreamRecord {
  /** Its place in the stream; records without one are about the stream itself. */
  id: string | null;
  kind: string;
  data: unknown;
}

/** The kinds that the server sends for changes, in the order of menus. */
export const EVENT_KINDS = ['incident', 'diagnosis', 'pause', 'topology'] as const;

export interface EventRow {
  kind: string;
  text: string;
  /** What the record is about: at most one of these. */
  incident?: string;
  diagnosis?: string;
  port?: string;
  /** Wall clock and switch time, as far as the record has them. */
  time: string | null;
  timeNs: number | null;
  /** The record itself, of a kind that this build does not know. */
  json?: string;
}

/**
 * The complete records of a text of server-sent events, and the rest of the text, which is not complete yet. A record
 * that is not JSON is kept as text.
 */
export function parseRecords(text: string): { records: StreamRecord[]; rest: string } {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const records = blocks.flatMap((block) => {
    const record: StreamRecord = { id: null, kind: 'message', data: null };
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name === 'id') record.id = value;
      else if (name === 'event') record.kind = value;
      else if (name === 'data') data.push(value);
    }
    // A comment, which keeps an idle connection open.
    if (data.length === 0) return [];
    return [{ ...record, data: parsed(data.join('\n')) }];
  });
  return { records, rest };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The incident of a record, or null if the record is about something else. */
function incidentOf({ kind, data }: StreamRecord): Incident | null {
  if (kind !== 'incident' || typeof data !== 'object' || data === null) return null;
  const { incident } = data as { incident?: Incident };
  return typeof incident?.id === 'string' ? incident : null;
}

/**
 * The records with which an incident came back: those that count one occurrence more than the record of the incident before.
 * The server sends them as updates. Of the first record of an incident nothing earlier is known.
 */
export function comebacks(records: StreamRecord[]): Set<StreamRecord> {
  const known = new Map<string, number>();
  return new Set(
    records.filter((record) => {
      const incident = incidentOf(record);
      if (!incident) return false;
      const before = known.get(incident.id);
      const times = incident.recurrences ?? 1;
      known.set(incident.id, times);
      return before !== undefined && times > before;
    }),
  );
}

/** The row of a record. `isBack` tells that its incident came back with it. */
export function eventRow(record: StreamRecord, isBack = false): EventRow {
  const data = (typeof record.data === 'object' && record.data !== null ? record.data : {}) as Record<string, unknown>;
  const row = {
    kind: record.kind,
    time: typeof data.time === 'string' ? data.time : null,
    timeNs: typeof data.time_ns === 'number' ? data.time_ns : null,
  };
  const known = knownRow(record.kind, data, isBack);
  return known ? { ...row, ...known } : { ...row, text: '', json: JSON.stringify(record.data) };
}

/** What a record of a known kind says, or null if the kind or its fields are unknown. */
function knownRow(kind: string, data: Record<string, unknown>, isBack: boolean): Partial<EventRow> & { text: string } | null {
  switch (kind) {
    case 'incident': {
      const incident = data.incident as Incident | undefined;
      if (typeof incident?.id !== 'string' || typeof incident.headline?.text !== 'string') return null;
      const updated = isBack ? `Came back (${ordinal(incident.recurrences ?? 1)} time)` : 'Continues';
      const change = { start: 'Started', update: updated, end: 'Ended' }[String(data.change)] ?? String(data.change);
      const at = incident.end_ns ?? incident.update_ns;
      return { text: `${change}: ${incident.headline.text}`, incident: incident.id, timeNs: at };
    }
    case 'diagnosis':
      return typeof data.id === 'string' && typeof data.summary === 'string' ? { text: sentence(data.summary), diagnosis: data.id } : null;
    case 'pause':
      return typeof data.port === 'string' ? { text: data.paused === false ? 'is resumed' : 'is paused', port: data.port } : null;
    case 'topology':
      return { text: 'The topology was replaced' };
    case 'gap':
      return { text: `${plural(Number(data.missed), 'older event is', 'older events are')} no longer available` };
    case 'dropped':
      return { text: `${plural(Number(data.count), 'event')} dropped, because this browser reads too slowly` };
    default:
      return null;
  }
}

/** The filters of the page of events, which are in its URL. */
export interface EventFilters {
  kind: string;
  search: string;
}

export function eventFilters(query: URLSearchParams): EventFilters {
  return { kind: query.get('kind') ?? '', search: query.get('search') ?? '' };
}

export function eventQuery({ kind, search }: EventFilters): string {
  return new URLSearchParams({ ...(kind && { kind }), ...(search && { search }) }).toString();
}

/** The records that the filters leave, the latest first. `hello` tells only that the stream begins. */
export function selected(records: StreamRecord[], { kind, search }: EventFilters): StreamRecord[] {
  const wanted = search.trim().toLowerCase();
  const fits = (record: StreamRecord) =>
    record.kind !== 'hello' &&
    (!kind || record.kind === kind) &&
    (!wanted || JSON.stringify(record.data).toLowerCase().includes(wanted));
  return records.filter(fits).toReversed();
}
