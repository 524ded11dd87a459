import { describe, expect, test } from 'vitest';
import { hostPart, nodeDaemons, nodePorts, switchPart } from './nodes';
import type { Daemon, Incident, Topology } from './types';

const topology: Topology = {
  nodes: [
    { name: 'h1', kind: 'host', addresses: ['10.0.0.1'] },
    { name: 'h2', kind: 'host', addresses: ['10.0.0.2'] },
    { name: 'a', kind: 'switch' },
    { name: 'b', kind: 'switch' },
  ],
  links: [['h1:1', 'a:1'], ['a:2', 'b:2'], ['h2:1', 'b:10']].map(([a = '', b = '']) => ({ a, b, rate: 1e11, delay: 1 })),
};
const hosts = new Map([['10.0.0.1', 'h1'], ['10.0.0.2', 'h2']]);
const flow = '10.0.0.1:1>10.0.0.2:2/udp';

const incident = {
  victims: [flow],
  pause_path: ['a:2'],
  loop: [],
  root_cause: { port: 'b:10', host: 'h2', flows: [], config: [] },
} as unknown as Incident;

describe('pages of switches and hosts', () => {
  test('a pause that a port sends is in the samples of its peer', () => {
    const sample = { port: 'a:2', time_ns: 1, interval_ns: 10, paused_ns: 5, paused: true, queue_bytes: 7, queue_packets: 1, tx_bps: 5e10 };
    const ports = new Map([['a:2', { sample, heat: 0.5, queueBytes: 7, txBps: 5e10 }]]);
    expect(nodePorts(topology, 'a', ports).map(({ port, paused, pausesPeer, utilisation }) => [port, paused, pausesPeer, utilisation])).toEqual([
      ['a:1', null, null, null],
      ['a:2', 0.5, null, 0.5],
    ]);
    expect(nodePorts(topology, 'b', ports).map(({ port, neighbour, pausesPeer }) => [port, neighbour, pausesPeer])).toEqual([
      ['b:2', 'a', 0.5],
      ['b:10', 'h2', null],
    ]);
  });

  test('how an incident concerns a switch', () => {
    expect(['a', 'b', 'c'].map((name) => switchPart(incident, name))).toEqual(['on the pause path', 'root port', null]);
    const misconfigured = { ...incident, root_cause: { ...incident.root_cause, config: ['a:2/alpha'] } };
    expect(switchPart(misconfigured, 'a')).toBe('misconfigured');
  });

  test('how an incident concerns a host', () => {
    expect(['h1', 'h2', 'h3'].map((name) => hostPart(incident, name, hosts))).toEqual(['sends a victim', 'culprit', null]);
    const contention = { ...incident, root_cause: { ...incident.root_cause, host: null, flows: [flow] } };
    expect(['h1', 'h2'].map((name) => hostPart(contention, name, hosts))).toEqual(['sends a culprit flow', 'receives a culprit flow']);
  });

  test('the agent of a host, and controllers that report about a switch', () => {
    const daemon = (kind: string, name: string, rest: Partial<Daemon> = {}) => ({ kind, name, problems: [], ...rest }) as unknown as Daemon;
    const all = [
      daemon('agent', 'h1', { problems: [{ subject: 'eth0', reason: 'down' }] }),
      daemon('controller', 'c1', { failed_links: ['b:2'] }),
      daemon('controller', 'c2'),
    ];
    expect(nodeDaemons(all, 'h1').map(({ daemon: { name }, problems }) => [name, problems.length])).toEqual([['h1', 1]]);
    expect(nodeDaemons(all, 'b').map(({ daemon: { name } }) => name)).toEqual(['c1']);
    expect(nodeDaemons(all, 'a')).toEqual([]);
  });
});
