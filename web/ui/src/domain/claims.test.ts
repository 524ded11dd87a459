import { expect, test } from 'vitest';
import { claimText, claimTitle } from './claims';
import { moments } from './moments';
import type { ClaimValue } from './types';

const FLOW = '10.0.0.2:10000>10.0.0.4:4791/udp';
const hosts = new Map([['10.0.0.2', 'h2']]);
const at = moments(5_000, null);

test('values of a template have the units and names of the page', () => {
  const values: ClaimValue[] = [
    { kind: 'name', name: 'h{1}' },
    { kind: 'duration', ns: 117_500 },
    { kind: 'flow', flow: FLOW },
    { kind: 'number', number: 8.4, decimals: 1 },
    { kind: 'count', count: 1, unit: 'packet' },
    { kind: 'count', count: 12, unit: 'flow' },
    { kind: 'share', share: 0.27 },
    { kind: 'port', port: 'sw4:1' },
  ];
  const text = 'host {0} measured {1} for {2}, {3} times; {4}, {5}, {6} at {7} and {8}';
  expect(claimText({ claim: 'unused', template: { text, values } }, hosts, at)).toBe(
    `host h{1} measured 118 µs for h2 → 10.0.0.4 (${FLOW}), 8.4 times; 1 packet, 12 flows, 27 % at sw4:1 and {8}`,
  );
});

test('a claim without a template is its text', () => {
  expect(claimText({ claim: 'paused for 25.0 us' }, hosts, at)).toBe('paused for 25.0 µs');
});

test('times of a claim are relative to the measurement, the clocks are in its tooltip', () => {
  const values: ClaimValue[] = [{ kind: 'port', port: 'sw4:1' }, { kind: 'time', ns: 2_000 }, { kind: 'time', ns: 5_000 }];
  const template = { text: '{0} lost packets ({1} to {2})', values };
  expect(claimText({ claim: 'unused', template }, hosts, at)).toBe('sw4:1 lost packets (−3 µs to 0)');
  expect(claimTitle({ template }, at)).toBe('−3 µs: switch time 0.000002 s; 0: switch time 0.000005 s');
  expect(claimTitle({ template: { text: '{0}', values: values.slice(0, 1) } }, at)).toBeUndefined();
  expect(claimTitle({ template: null }, at)).toBeUndefined();
});
