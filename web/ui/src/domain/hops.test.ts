// What a hop of the pause path shows of its pauses.

import { expect, test } from 'vitest';
import { hops, hopText } from './roles';
import type { Diagnosis, EvidenceRecord } from './types';

const pause = (start_ns: number, end_ns: number | null) => ({ kind: 'pause', port: 2, priority: 3, frames: 1, start_ns, end_ns }) as EvidenceRecord;

const total = (port: string, paused_ns: number) => ({ kind: 'pause_total', port, pauses: 2, paused_ns }) as EvidenceRecord;

function textOf(claim: string, records: EvidenceRecord[]): string {
  const evidence = [{ claim, switch: 's3', port: 's3:2', epoch: null, records }];
  const diagnosis = { evidence, pause_path: ['s3:2'], loop: [], root_cause: { port: 's3:2' }, time_ns: 400_000 } as unknown as Diagnosis;
  return hops(diagnosis, () => undefined).map(hopText).join();
}

test.each([
  ['pauses that have ended', 'two pauses', [pause(0, 337), pause(1_000, 2_000)], 'paused for 1.34 µs'],
  ['a pause that lasted when its switch was read', 'no total', [pause(0, 337), pause(1_000, null)], 'paused for at least 399 µs, still paused when read'],
  ['the total', '', [total('s3:2', 410_200), total('s3:1', 900_000), pause(0, 337), pause(1_000, null)], 'paused for at least 410 µs, still paused when read'],
  ['one packet', '', [{ kind: 'port', port: 2, paused_packets: 1 } as EvidenceRecord], '1 packet enqueued while paused'],
  ['a port that was not paused', '', [{ kind: 'port', port: 2, paused_packets: 0 } as EvidenceRecord], 'not paused'],
  ['a port without records', '', [], 'no pause record'],
])('%s', (_, claim, records, text) => expect(textOf(claim, records)).toBe(text));
