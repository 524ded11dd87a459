// What the first page says about ports until there is a diagnosis.

import { expect, test } from 'vitest';
import { beforeDiagnosis, pausedOrQueuing, warm } from './heat';
import type { PortSample } from './types';

const sample = (port: string, more: Partial<PortSample> = {}): PortSample => ({
  port, time_ns: 1, interval_ns: 100, queue_bytes: 0, queue_packets: 0, paused: false, paused_ns: 0, tx_bps: 0, ...more,
});
const said = (samples: PortSample[]) => beforeDiagnosis(pausedOrQueuing(warm(new Map(), samples)));

test.each([
  ['No slow flows', [sample('a:1')]],
  ['2 ports are paused; no diagnosis yet', [sample('a:1', { paused_ns: 100 }), sample('b:1', { paused: true }), sample('c:1', { queue_bytes: 9 })]],
  ['1 port is queuing packets; no diagnosis yet', [sample('a:1'), sample('c:1', { queue_bytes: 9 })]],
])('%s', (text, samples) => expect(said(samples)).toBe(text));

test('the most paused port comes first', () => {
  const ports = warm(new Map(), [sample('a:1', { paused_ns: 5 }), sample('b:1', { paused_ns: 90, queue_bytes: 1 }), sample('c:1', { queue_bytes: 9 })]);
  expect(pausedOrQueuing(ports)).toEqual({ paused: ['b:1', 'a:1'], queuing: ['c:1'] });
});
