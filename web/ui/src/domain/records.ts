// Evidence records as rows of a table.

import { bytes, clock, count, duration, weight } from './format';
import type { Evidence, EvidenceRecord, Flow, Port } from './types';

export interface RecordRow {
  /** What kind of record it is. */
  kind: string;
  /** Whom it speaks of. */
  subject: { flow?: Flow; port?: Port; text?: string };
  /** Name and value of what it says. */
  facts: [string, string][];
}

/** A record as a row. Fields that its source does not record are left out, not shown as zero; so is the epoch where it
 * is the claim's own. */
export function recordRow(record: EvidenceRecord, evidence: Evidence): RecordRow {
  const row = fullRow(record, evidence);
  const facts = row.facts.filter(([name, value]) => name !== 'epoch' || value !== String(evidence.epoch));
  return { ...row, facts };
}

function fullRow(record: EvidenceRecord, evidence: Evidence): RecordRow {
  const port = (number: number): Port => `${evidence.switch ?? '?'}:${number}`;
  switch (record.kind) {
    case 'flow':
      return {
        kind: record.evicted ? 'flow, evicted' : 'flow',
        subject: { flow: record.flow },
        facts: present([
          ['ports', `${record.ingress_port ?? '?'} → ${record.egress_port}`],
          ['packets', count(record.packets)],
          ['bytes', record.bytes === null ? null : bytes(record.bytes)],
          ['paused', count(record.paused_packets)],
          ['mean depth', mean(record.depth_sum, record.packets)],
          ['priority', record.priority === null ? null : String(record.priority)],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'port':
      return {
        kind: 'port',
        subject: { port: port(record.port) },
        facts: present([
          ['packets', record.packets === null ? null : count(record.packets)],
          ['paused', count(record.paused_packets)],
          ['mean depth', record.packets === null ? null : mean(record.depth_sum, record.packets)],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'meter':
      return {
        kind: 'meter',
        subject: { text: `${port(record.ingress_port)} → ${port(record.egress_port)}` },
        facts: present([
          ['bytes', bytes(record.bytes)],
          ['packets', record.packets === null ? null : count(record.packets)],
          ['epoch', String(record.epoch)],
        ]),
      };
    case 'pause':
      return {
        kind: 'pause',
        subject: { port: port(record.port) },
        facts: present([
          ['from', clock(record.start_ns)],
          ['for', record.end_ns === null ? 'still paused when read' : duration(record.end_ns - record.start_ns)],
          ['frames', count(record.frames)],
          ['priority', String(record.priority)],
        ]),
      };
    case 'trigger':
      return {
        kind: 'round trip',
        subject: { flow: record.flow },
        facts: present([
          ['noticed by', record.host],
          ['reason', record.reason === 'silence' ? 'no acknowledgement' : 'slow round trip'],
          ['measured', duration(record.rtt_ns)],
          ['without load', duration(record.base_rtt_ns)],
          ['at', clock(record.time_ns)],
        ]),
      };
    case 'port_edge':
      return {
        kind: 'port waits for port',
        subject: { text: `${record.from} → ${record.to}` },
        facts: [['weight', weight(record.weight)]],
      };
    case 'contribution':
      return {
        kind: record.weight >= 0 ? 'causes the queue' : 'suffers from the queue',
        subject: { flow: record.flow },
        facts: [['weight', weight(record.weight)]],
      };
  }
}

function present(facts: [string, string | null][]): [string, string][] {
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

function mean(sum: number, packets: number): string | null {
  return packets > 0 ? `${weight(sum / packets)} packets` : null;
}
