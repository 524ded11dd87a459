// Evidence records as table rows.

import { bytes, count, duration, lossName, readable, weight } from './format';
import { hostValue } from './hostValues';
import type { Moments } from './moments';
import { readNs } from './pauses';
import type { Evidence, EvidenceRecord, Flow, Port } from './types';

/** Why an agent asked. A version that does not know a reason shows its name. */
const REASONS: Record<string, string> = { silence: 'no ACK', slow_rtt: 'slow RTT', slow_operation: 'slow operation', slow_job: 'slow job' };
/** What was measured, if it was no round trip. */
const MEASURED: Record<string, string> = { slow_operation: 'operation', slow_job: 'iteration' };

/** Name, value, tooltip. */
type Fact = [string, string, string?];

export interface RecordRow {
  /** The kind of the record. */
  kind: string;
  /** The flow, port or pair of ports that the record is about. */
  subject: { flow?: Flow; port?: Port; text?: string };
  /** Names and values of the fields; a time has a tooltip with the clocks. */
  facts: Fact[];
  /** The whole value of a host's report as JSON, if the facts leave some of it out. */
  json?: string | null;
}

/**
 * The records that say most about a claim, at most `limit`, in their order: those with the longest pauses, the most
 * paused packets or the deepest queue. A flow has a record for each epoch, most of them from before it was slow.
 */
export function foremostRecords(records: EvidenceRecord[], limit: number): EvidenceRecord[] {
  if (records.length <= limit) return records;
  const ranked = records.map((record, place) => ({ record, place, weights: weights(record) }));
  ranked.sort((a, b) => b.weights[0] - a.weights[0] || b.weights[1] - a.weights[1] || a.place - b.place);
  return ranked
    .slice(0, limit)
    .sort((a, b) => a.place - b.place)
    .map(({ record }) => record);
}

function weights(record: EvidenceRecord): [number, number] {
  if (record.kind === 'flow' || record.kind === 'port') return [record.paused_packets, record.depth_sum];
  // A pause without an end lasted until the switch was read.
  if (record.kind === 'pause') return [(record.end_ns ?? Number.MAX_SAFE_INTEGER) - record.start_ns, 0];
  return [0, 0];
}

/** The row of a record. Fields without a value are left out, and so is the epoch if it is that of the claim. */
export function recordRow(record: EvidenceRecord, evidence: Evidence, moments: Moments): RecordRow {
  const row = fullRow(record, evidence, moments);
  const facts = row.facts.filter(([name, value]) => name !== 'epoch' || value !== String(evidence.epoch));
  return { ...row, facts };
}

function fullRow(record: EvidenceRecord, evidence: Evidence, moments: Moments): RecordRow {
  const port = (number: number): Port => `${evidence.switch ?? '?'}:${number}`;
  const at = (name: string, ns: number): Fact => {
    const { text, title } = moments(ns);
    return [name, text, title];
  };
  switch (record.kind) {
    case 'flow':
      return {
        kind: record.evicted ? 'flow, evicted' : 'flow',
        subject: { flow: record.flow },
        facts: present([
          ['ports', `${record.ingress_port ?? '?'} → ${record.egress_port}`],
          ['packets', count(record.packets)],
          ['bytes', known(record.bytes, bytes)],
          ['paused', count(record.paused_packets)],
          ['mean depth', mean(record.depth_sum, record.packets)],
          ['priority', known(record.priority, String)],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'port':
      return {
        kind: 'port',
        subject: { port: port(record.port) },
        facts: present([
          ['packets', known(record.packets, count)],
          ['paused', count(record.paused_packets)],
          ['mean depth', known(record.packets, (packets) => mean(record.depth_sum, packets))],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'meter':
      return {
        kind: 'meter',
        subject: { text: `${port(record.ingress_port)} → ${port(record.egress_port)}` },
        facts: present([
          ['bytes', bytes(record.bytes)],
          ['packets', known(record.packets, count)],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'pause':
      return {
        kind: 'pause',
        subject: { port: port(record.port) },
        facts: present([
          at('from', record.start_ns),
          ['for', known(record.end_ns, (end) => duration(end - record.start_ns)) ?? unended(record.start_ns, readNs(evidence, port(record.port)))],
          ['frames', count(record.frames)],
          ['priority', String(record.priority)],
        ]),
      };
    case 'trigger':
      return {
        kind: 'trigger',
        subject: { flow: record.flow },
        facts: present([
          ['host', record.host],
          ['reason', REASONS[record.reason] ?? record.reason],
          [MEASURED[record.reason] ?? 'RTT', duration(record.rtt_ns)],
          ['at most expected', record.expected_ns == null ? null : duration(record.expected_ns)],
          ['base RTT', duration(record.base_rtt_ns)],
          at('at', record.time_ns),
        ]),
      };
    case 'configuration':
      return {
        kind: 'configuration',
        subject: { text: record.port === null || record.port === undefined ? record.switch : `${record.switch}:${record.port}` },
        facts: [
          ['finding', readable(record.message)],
          ['fix', readable(record.fix)],
        ],
      };
    case 'loss':
      return {
        kind: 'loss',
        subject: lossPorts(record.switch, record.ingress_port, record.egress_port),
        facts: present([
          ['lost', lostWhere(record.ingress_port, record.egress_port)],
          ['packets', count(record.packets)],
          ['reason', lossName(record.reason)],
          ['priority', known(record.priority, String)],
          at('from', record.lost_ns[0]),
          at('to', record.lost_ns[1]),
        ]),
      };
    case 'event':
      return record.change === 'route'
        ? {
            kind: 'route changed',
            subject: { text: record.switch },
            facts: [
              ['destination', record.prefix],
              ['ports before', record.before.join(', ') || 'none'],
              ['ports after', record.after.join(', ') || 'none'],
              at('at', record.time_ns),
            ],
          }
        : {
            kind: record.change === 'link_down' ? 'link down' : 'link up',
            subject: { port: `${record.switch}:${record.port}` },
            facts: [at('at', record.time_ns)],
          };
    case 'transfer':
      return {
        kind: 'transfer',
        subject: { flow: record.flow },
        facts: present([
          ['step', String(record.step)],
          ['bytes', bytes(record.bytes)],
          typeof record.start_ns === 'number' && at('from', record.start_ns),
          typeof record.finish_ns === 'number' && at('to', record.finish_ns),
        ]),
      };
    case 'host':
      return {
        kind: 'host report',
        subject: { text: record.host },
        ...hostValue(record.pointer, record.value),
      };
    case 'counter':
      return {
        kind: 'counter',
        subject: { port: record.port },
        facts: [
          [record.counter, count(record.value)],
          ['port name', record.name],
          ['over', duration(record.to_ns - record.from_ns)],
        ],
      };
    case 'pause_total':
      return {
        kind: 'pauses in all',
        subject: { port: record.port },
        facts: [
          ['pauses', count(record.pauses)],
          ['paused for', duration(record.paused_ns)],
        ],
      };
    case 'port_edge':
      return {
        kind: 'wait-for edge',
        subject: { text: `${record.from} → ${record.to}` },
        facts: [['weight', weight(record.weight)]],
      };
    case 'contribution':
      return {
        kind: record.weight >= 0 ? 'contribution' : 'affected by the queue',
        subject: { flow: record.flow },
        facts: [['weight', weight(record.weight)]],
      };
    default:
      return unknown(record);
  }
}

/** A record of a kind that this build does not know, as a newer server may send it: shown field by field. */
function unknown(record: never): RecordRow {
  const { kind, ...fields } = record as Record<string, unknown>;
  return {
    kind: typeof kind === 'string' ? kind.replaceAll('_', ' ') : 'record',
    subject: { text: '' },
    facts: Object.entries(fields).map(([name, value]) => [
      name.replaceAll('_', ' '),
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  };
}

/** Whether packets of a port were lost on their way in or out, if only one of both ports is known. */
function lostWhere(ingress: number | null | undefined, egress: number | null | undefined): string | null {
  const [isIn, isOut] = [typeof ingress === 'number', typeof egress === 'number'];
  return isIn === isOut ? null : isIn ? 'on arrival' : 'before sending';
}

/** The ports that lost packets passed, as far as counters tell them; without any, the switch. */
function lossPorts(node: string, ...ports: (number | null | undefined)[]): RecordRow['subject'] {
  const names = ports.flatMap((port) => known(port, (number) => `${node}:${number}`) ?? []);
  const [only] = names;
  return only !== undefined && names.length === 1 ? { port: only } : { text: names.join(' → ') || node };
}

/** The text of a value, or null without one: the server writes null or leaves the field out. */
function known(value: number | null | undefined, text: (value: number) => string | null): string | null {
  return value === null || value === undefined ? null : text(value);
}

function present(facts: (Fact | [string, string | null] | false)[]): Fact[] {
  return facts.filter((fact): fact is Fact => fact !== false && fact[1] !== null);
}

/** The length of a pause that lasted when its switch was read, if that time is known. */
function unended(startNs: number, readAt: number | null): string {
  const state = 'still paused when read';
  return readAt === null ? state : `at least ${duration(readAt - startNs)}, ${state}`;
}

function mean(sum: number, packets: number): string | null {
  return packets > 0 ? `${weight(sum / packets)} packets` : null;
}
