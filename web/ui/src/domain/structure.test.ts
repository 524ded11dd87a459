import { describe, expect, test } from 'vitest';
import { layFabric } from './fabric';
import { orderedPorts, pageOf, portEnds } from './ports';
import { COLLAPSE_ABOVE, GROUPS_MOST, structureOf } from './structure';
import type { Topology } from './types';

const node = (name: string, kind: 'host' | 'switch') => ({ name, kind, addresses: [] });

/** Pods of `each` leaves and `each` aggregation switches, one host a leaf; core switch n is above aggregation switch n. */
function threeTiers(pods: number, each: number): Topology {
  const topology: Topology = { nodes: [], links: [] };
  const link = (a: string, b: string) => topology.links.push({ a, b, rate: 1e11, delay: 1 });
  for (let n = 1; n <= each; n += 1) topology.nodes.push(node(`x${n}`, 'switch'));
  for (let pod = 1; pod <= pods; pod += 1) {
    for (let n = 1; n <= each; n += 1) {
      const [leaf, above] = [`${pod}l${n}`, `${pod}a${n}`];
      topology.nodes.push(node(leaf, 'switch'), node(above, 'switch'), node(`${pod}h${n}`, 'host'));
      link(`${pod}h${n}:1`, `${leaf}:0`);
      for (let other = 1; other <= each; other += 1) link(`${leaf}:${other}`, `${pod}a${other}:${n}`);
      link(`${above}:0`, `x${n}:${pod}`);
    }
  }
  return topology;
}

describe('groups', () => {
  test('a network that one screen shows has none', () => {
    const small = threeTiers(4, 4);
    expect(structureOf(small).groups).toEqual([]);
    expect(layFabric(small).nodes.length).toBe(small.nodes.length);
  });

  test('pods and top switches with the same neighbours are groups, whatever their names', () => {
    const { groups, groupOf } = structureOf(threeTiers(8, 10));
    expect(groups.filter(({ isTop }) => !isTop).map(({ switches }) => switches.length)).toEqual(Array(8).fill(20));
    expect(groups.filter(({ isTop }) => isTop).map(({ switches }) => switches)).toEqual(Array.from({ length: 10 }, (_, n) => [`x${n + 1}`]));
    expect(groups[2]?.hosts.length).toBe(10);
    expect(groupOf.get('3h7')).toBe(groupOf.get('3a1'));
  });

  test('there are at most GROUPS_MOST groups of each part, which hold every switch once', () => {
    const { groups } = structureOf(threeTiers(70, 2));
    expect(groups.filter(({ isTop }) => !isTop).length).toBeLessThanOrEqual(GROUPS_MOST);
    const switches = groups.flatMap((group) => group.switches);
    expect(new Set(switches).size).toBe(switches.length);
    expect(switches.length).toBe(70 * 4 + 2);
    expect(switches.length).toBeGreaterThan(COLLAPSE_ABOVE);
  });
});

describe('collapsed layout', () => {
  const topology = threeTiers(8, 10);
  const structure = structureOf(topology);

  test('a collapsed group is one node, and links between two of them are one', () => {
    const fabric = layFabric(topology, structure);
    expect(fabric.nodes.length).toBe(18);
    expect(fabric.links.length).toBe(80);
    expect(fabric.byPort.get('1a1:0')?.link.count).toBe(1);
    // A link inside a group is not drawn.
    expect(fabric.byPort.has('1l1:1')).toBe(false);
  });

  test('an opened group has its switches and hosts, and its frame is around them', () => {
    const id = structure.groupOf.get('3l1')!.id;
    const fabric = layFabric(topology, structure, new Set([id]));
    expect(fabric.nodes.filter(({ name }) => name.startsWith('3')).length).toBe(30);
    expect(fabric.byPort.get('3l1:1')?.link.to.name).toBe('3a1');
    const [frame] = fabric.opened;
    const { x, y } = fabric.byName.get('3l1')!;
    expect(frame!.left < x && x < frame!.right && frame!.top < y && y < frame!.bottom).toBe(true);
  });

  test('a port of a bundle is at the end of its own group', () => {
    const pod = layFabric(topology, structure, new Set(['top 1']));
    const { link, atA } = pod.byPort.get('x1:4')!;
    expect((atA ? link.from : link.to).name).toBe('x1');
    expect((atA ? link.to : link.from).name).toBe('pod 4');
  });
});

describe('table of ports', () => {
  const sample = (port: string, queue_bytes: number) =>
    ({ port, time_ns: 1, interval_ns: 1, paused_ns: 0, paused: false, queue_bytes, queue_packets: 0, tx_bps: 0 });
  const ends = portEnds(threeTiers(1, 2));

  test('the incident first, then paused ports, then queues, then names', () => {
    const ports = new Map([
      ['1l2:0', { sample: sample('1l2:0', 9000), heat: 0, queueBytes: 9000, txBps: 0 }],
      ['1l1:2', { sample: sample('1l1:2', 0), heat: 0.5, queueBytes: 0, txBps: 0 }],
    ]);
    const order = orderedPorts(ends, ports, '', ['x2:1']).map(({ port }) => port);
    expect(order.slice(0, 4)).toEqual(['x2:1', '1l1:2', '1l2:0', '1a1:0']);
    expect(new Set(order).size).toBe(ends.length);
  });

  test('the search finds ports and neighbours', () => {
    expect(orderedPorts(ends, new Map(), '1H2').map(({ port }) => port)).toEqual(['1h2:1', '1l2:0']);
    expect(portEnds(threeTiers(1, 2), '1l1').map(({ port }) => port)).toEqual(['1l1:0', '1l1:1', '1l1:2']);
  });

  test('pages end with the list', () => {
    expect(pageOf([1, 2, 3], 9, 2)).toEqual({ rows: [3], page: 1, pages: 2 });
    expect(pageOf([], 0)).toEqual({ rows: [], page: 0, pages: 1 });
  });
});
