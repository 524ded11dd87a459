import { describe, expect, test } from 'vitest';
import { fitFabric, layFabric, linkPath, pointOn } from './fabric';
import { flowName, flowProblems, hostsByAddress, parseFlow, resolved, shortFlow, splitPort, withHostNames } from './flow';
import { ANOMALIES, CAUSES, SEVERITIES } from './format';
import { busiest, heatStep, pauseShare, warm } from './heat';
import { filtersOf, matches, queryOf, searchFilter } from './filters';
import { counted, merged, ordered, pausedAgain, shownCounts, withIncident } from './incidents';
import { layProvenance } from './provenance';
import { moments } from './moments';
import { recordRow } from './records';
import { culpritFlows, culpritSwitches, flowRole, hops, portRole } from './roles';
import { routeOf } from './routes';
import type { Diagnosis, Evidence, EvidenceRecord, Incident, PortSample, ProvenanceGraph, Topology } from './types';

const flow = (from: number, to: number) => `11.0.${from}.1:10000>11.0.${to}.1:100/udp`;

/** sw1 and sw3 are leaves, sw2 is above; two links between sw2 and sw3. */
const topology: Topology = {
  nodes: [
    ...[1, 2, 3, 10].map((n) => ({ name: `h${n}`, kind: 'host' as const, addresses: [`11.0.${n}.1`] })),
    ...[1, 2, 3].map((n) => ({ name: `sw${n}`, kind: 'switch' as const, addresses: [] })),
  ],
  links: [
    ['h1:1', 'sw1:1'],
    ['h2:1', 'sw1:2'],
    ['sw1:3', 'sw2:1'],
    ['sw2:2', 'sw3:1'],
    ['sw2:3', 'sw3:2'],
    ['h3:1', 'sw3:3'],
    ['h10:1', 'sw3:4'],
  ].map(([a = '', b = '']) => ({ a, b, rate: 1e11, delay: 1e6 })),
};

const atRoot: Evidence = {
  claim: 'flows contend',
  switch: 'sw2',
  port: 'sw2:3',
  epoch: 7,
  records: [
    {
      kind: 'flow', flow: flow(1, 3), epoch: 7, ingress_port: 1, egress_port: 3, priority: 3, packets: 10,
      bytes: null, queued_packets: null, depth_sum: 25, paused_packets: 4, evicted: false, psn_first: 0, psn_last: 0,
    },
    { kind: 'pause', port: 3, priority: 3, start_ns: 100, end_ns: 400, frames: 1 },
    { kind: 'pause', port: 3, priority: 3, start_ns: 500, end_ns: null, frames: 1 },
  ],
};

const diagnosis: Diagnosis = {
  id: 'd', time_ns: 1, victim: flow(2, 3), anomaly: 'pfc_backpressure_flow_contention', cause: 'incast', summary: '', headline: { culprit: '', text: '' },
  confidence: 1, root_cause: { port: 'sw3:3', flows: [flow(10, 3)], host: null, config: [] },
  pause_path: ['sw2:3', 'sw3:3'], loop: [], spreaders: [flow(1, 3)], victims: [flow(2, 3), flow(1, 3)],
  evidence: [atRoot, atRoot], missing: [], advice: [], collected: { switches: 1, bytes: 1, polls: 1 },
};

describe('flow', () => {
  test('names round trip, IPv6 in brackets', () => {
    for (const name of [flow(1, 3), '[fd00::1]:10000>[fd00::2]:4791/udp', '10.0.0.1:1>10.0.0.2:2/6']) {
      const parts = parseFlow(name);
      expect(parts && flowName(parts)).toBe(name);
    }
    for (const name of ['', 'a>b', '1.1.1.1:1-2.2.2.2:2/udp', '1.1.1.1:1>2.2.2.2/udp']) {
      expect(parseFlow(name)).toBeNull();
    }
  });

  test('the fields of a form are validated', () => {
    expect(flowProblems({ src: '10.0.0.300', sport: '1', dst: '', dport: '70000', proto: 'udp' })).toEqual({
      src: '10.0.0.300 is neither an IP address nor a host of the topology',
      dst: 'an IP address or the name of a host is needed',
      dport: '70000 is not a port number from 0 to 65535',
    });
    expect(flowProblems({ src: 'fd00::1', sport: '1', dst: '10.0.0.1', dport: '2', proto: 'udp' })).toEqual({});
  });

  test('a flow may have names of hosts; what is wrong with another name is said', () => {
    const parts = { src: 'H1', sport: '1', dst: 'h3', dport: '2', proto: 'udp' };
    expect(resolved(parts, topology)).toEqual({ ...parts, src: '11.0.1.1', dst: '11.0.3.1' });
    expect(flowProblems(resolved(parts, topology), topology)).toEqual({});
    const wrong = { ...parts, src: 'sw1', dst: 'h99' };
    expect(flowProblems(resolved(wrong, topology), topology)).toEqual({
      src: 'sw1 is a switch; a flow has hosts at its ends',
      dst: 'h99 is neither an IP address nor a host of the topology',
    });
  });

  test('flows are shown with host names', () => {
    const hosts = hostsByAddress(topology);
    expect(shortFlow(flow(2, 10), hosts)).toBe('h2 → h10');
    expect(shortFlow(flow(2, 77), hosts)).toBe('h2 → 11.0.77.1');
    expect(splitPort('rack:1:12')).toEqual({ node: 'rack:1', number: '12' });
  });
});

test('a 5-tuple in the report of a host gets the names of its hosts once', () => {
  const hosts = hostsByAddress(topology);
  expect(withHostNames(`connection ${flow(1, 3)}, ${flow(2, 77)}: slow`, hosts)).toBe(`connection h1 → h3 (${flow(1, 3)}), h2 → 11.0.77.1 (${flow(2, 77)}): slow`);
  expect(withHostNames(`h1 -> h3 (${flow(1, 3)}) is slow`, hosts)).toBe(`h1 -> h3 (${flow(1, 3)}) is slow`);
  expect(withHostNames(`${flow(77, 78)} is slow`, hosts)).toBe(`${flow(77, 78)} is slow`);
});

describe('fabric', () => {
  const fabric = layFabric(topology);
  const at = (name: string) => fabric.byName.get(name)!;

  test('tiers are rows, from the core down to the hosts', () => {
    expect([at('sw2').tier, at('sw1').tier, at('h1').tier]).toEqual([2, 1, 0]);
    expect(at('sw2').y).toBeLessThan(at('sw1').y);
    expect(at('sw1').y).toBeLessThan(at('h1').y);
    expect(at('sw1').y).toBe(at('sw3').y);
  });

  test('hosts are placed below their switch, in natural order', () => {
    expect(at('h1').x).toBeLessThan(at('h2').x);
    expect(at('h3').x).toBeLessThan(at('h10').x);
    expect(at('sw1').x).toBe((at('h1').x + at('h2').x) / 2);
    const places = fabric.nodes.map((node) => `${node.x} ${node.y}`);
    expect(new Set(places).size).toBe(fabric.nodes.length);
  });

  test('parallel links do not cover each other', () => {
    const twins = fabric.links.filter((link) => link.from.name === 'sw2' && link.to.name === 'sw3');
    expect(new Set(twins.map((link) => linkPath(link))).size).toBe(2);
  });

  test('a port has its end of the link', () => {
    const { link, atA } = fabric.byPort.get('sw2:1')!;
    expect([link.a, atA]).toEqual(['sw1:3', false]);
    expect(pointOn(link, 1)).toEqual({ x: at('sw2').x, y: at('sw2').y });
  });

  test('the layout uses the available space and keeps the order', () => {
    const fitted = fitFabric(fabric, fabric.width * 1.5, 40);
    const order = (nodes: { name: string; x: number }[]) => [...nodes].sort((a, b) => a.x - b.x).map((n) => n.name);
    expect(order(fitted.nodes)).toEqual(order(fabric.nodes));
    expect(fitted.width).toBeCloseTo(fabric.width * 1.5);
    expect(fitted.height).toBeLessThan(fabric.height);
    expect(fitted.byPort.get('sw2:1')!.link.to).toBe(fitted.byName.get('sw2'));
    expect(fitFabric(fabric, 0, 0)).toBe(fabric);
    const dense = fitFabric({ ...fabric, dense: true }, fabric.width / 4, fabric.height);
    expect(dense.width).toBeCloseTo(fabric.width / 4);
    expect(dense.symbol).toBeCloseTo(1 / 4);
    expect(Math.min(...dense.nodes.map((node) => node.x))).toBeGreaterThan(0);
  });

  test('the layout is deterministic, also for unusual networks', () => {
    expect(layFabric(structuredClone(topology)).nodes).toEqual(fabric.nodes);
    expect(layFabric({ nodes: [], links: [] }).nodes).toEqual([]);
    const ring = ['a', 'b', 'c'].map((name) => ({ name, kind: 'switch' as const, addresses: [] }));
    const links = [['a:1', 'b:2'], ['b:1', 'c:2'], ['c:1', 'a:2']];
    const laid = layFabric({ nodes: ring, links: links.map(([a = '', b = '']) => ({ a, b, rate: 1, delay: 1 })) });
    expect(laid.nodes.length).toBe(3);
    expect(laid.links.every((link) => link.bend !== 0)).toBe(true);
  });
});

describe('routes', () => {
  test('records select one of several equal paths', () => {
    const route = routeOf(flow(1, 3), topology, diagnosis);
    expect(route.map((step) => step.port)).toEqual(['h1:1', 'sw1:3', 'sw2:3', 'sw3:3']);
    expect(route.every((step) => !step.assumed)).toBe(true);
  });

  test('a path that the diagnosis states is drawn as it is, with the link of the sender', () => {
    const hops = (['recorded', 'derived', 'assumed'] as const).map((known, n) => ({ port: ['sw1:3', 'sw2:2', 'sw3:4'][n] ?? '', known }));
    // The records say otherwise: the statement of the server has more to go by.
    const stated = { ...diagnosis, paths: [{ flow: flow(1, 10), role: 'victim' as const, hops }] };
    expect(routeOf(flow(1, 10), topology, stated).map((step) => `${step.port}${step.assumed ? '?' : ''}`)).toEqual([
      'h1:1', 'sw1:3', 'sw2:2', 'sw3:4?',
    ]);
    const whole = [{ port: 'h1:1', known: 'recorded' as const }, ...hops];
    const same = { ...stated, paths: [{ ...stated.paths[0]!, hops: whole }] };
    expect(routeOf(flow(1, 10), topology, same).length).toBe(4);
    // Other flows are derived as before.
    expect(routeOf(flow(1, 3), topology, stated).map((step) => step.port)).toEqual(['h1:1', 'sw1:3', 'sw2:3', 'sw3:3']);
  });

  test('the ingress port of a record names the hop before it', () => {
    const at = (node: string, ingress: number, egress: number): Evidence => ({
      ...atRoot,
      switch: node,
      records: atRoot.records.flatMap((record) =>
        record.kind === 'flow' ? [{ ...record, flow: flow(2, 10), ingress_port: ingress, egress_port: egress }] : [],
      ),
    });
    const route = routeOf(flow(2, 10), topology, { ...diagnosis, evidence: [at('sw3', 2, 4)] });
    expect(route).toEqual(['h2:1', 'sw1:3', 'sw2:3', 'sw3:4'].map((port) => ({ port, assumed: false })));
  });

  test('the victim crosses the first port of its pause path', () => {
    const route = routeOf(flow(2, 3), topology, { ...diagnosis, evidence: [] });
    expect(route).toEqual(['h2:1', 'sw1:3', 'sw2:3', 'sw3:3'].map((port) => ({ port, assumed: false })));
  });

  test('hops behind an assumed one are assumed until all paths meet', () => {
    const links = [
      ['a:1', 's1:1'], ['s1:2', 'u1:1'], ['s1:3', 'u2:1'], ['u1:2', 's2:1'], ['u2:2', 's2:2'], ['s2:3', 'b:1'],
    ].map(([a = '', b = '']) => ({ a, b, rate: 1e11, delay: 1e6 }));
    const nodes = ['a', 'b', 's1', 's2', 'u1', 'u2'].map((name, index) => ({
      name, kind: index < 2 ? ('host' as const) : ('switch' as const), addresses: index < 2 ? [`11.0.${index + 1}.1`] : [],
    }));
    const steps = routeOf(flow(1, 2), { nodes, links }, null);
    expect(steps.map((step) => `${step.port}${step.assumed ? '?' : ''}`)).toEqual(['a:1', 's1:2?', 'u1:2?', 's2:3']);
  });

  test('without a record one of several equal paths is marked as assumed', () => {
    const route = routeOf(flow(2, 10), topology, diagnosis);
    expect(route.map((step) => `${step.port}${step.assumed ? '?' : ''}`)).toEqual([
      'h2:1', 'sw1:3', 'sw2:2?', 'sw3:4',
    ]);
    expect(routeOf(flow(2, 99), topology, null)).toEqual([]);
    expect(routeOf('nonsense', topology, null)).toEqual([]);
  });
});

describe('arcs', () => {
  /** Rings of switches, each with a host: links within a tier are arcs above it. */
  const ring = (size: number): Topology => ({
    nodes: Array.from({ length: size }, (_, n) => [
      { name: `s${n}`, kind: 'switch' as const, addresses: [] },
      { name: `h${n}`, kind: 'host' as const, addresses: [`11.0.${n}.1`] },
    ]).flat(),
    links: Array.from({ length: size }, (_, n) => [
      { a: `s${n}:1`, b: `s${(n + 1) % size}:2`, rate: 1e11, delay: 1e6 },
      { a: `s${n}:3`, b: `h${n}:1`, rate: 1e11, delay: 1e6 },
    ]).flat(),
  });

  test.each([2, 3, 4, 8])('of a ring of %i switches lie within the picture', (size) => {
    for (const [width, height] of [[300, 180], [1200, 340], [900, 900]] as const) {
      const fabric = fitFabric(layFabric(ring(size)), width, height);
      for (const link of fabric.links) {
        for (const t of [0, 0.25, 0.5, 0.75, 1]) {
          const { x, y } = pointOn(link, t);
          expect(y).toBeGreaterThan(0);
          expect(y).toBeLessThan(fabric.height);
          expect(x).toBeGreaterThan(0);
          expect(x).toBeLessThan(fabric.width);
        }
      }
    }
  });
});

describe('records', () => {
  test('losses, events, findings and transfers', () => {
    const rows = [
      { kind: 'loss', switch: 'sw1', egress_port: 3, reason: 'headroom', packets: 12, lost_ns: [1_000_000, 2_000_000] },
      { kind: 'loss', switch: 'sw1', ingress_port: 2, egress_port: 3, reason: 'link_down', packets: 1, lost_ns: [0, 1_000_000] },
      { kind: 'loss', switch: 'sw1', ingress_port: 2, reason: 'corrupted', packets: 1, lost_ns: [0, 1_000_000] },
      { kind: 'loss', switch: 'sw1', reason: 'ttl', packets: 1, lost_ns: [0, 1_000_000] },
      { kind: 'event', time_ns: 5_000, switch: 'sw1', change: 'link_down', port: 2 },
      { kind: 'event', time_ns: 5_000, switch: 'sw1', change: 'route', prefix: '10.0.0.1/32', before: [1], after: [] },
      { kind: 'configuration', id: 'sw1/headroom', switch: 'sw1', port: null, setting: 'headroom', deviation: 'less', message: 'm', fix: 'f' },
      { kind: 'transfer', step: 2, flow: flow(1, 3), bytes: 4_000, start_ns: 7_000 },
      { kind: 'of_tomorrow', switch: 'sw1', level: 4 },
    ].map((record) => recordRow(record as EvidenceRecord, atRoot, moments(1_000_000, null)));
    expect(rows.map(({ kind, subject, facts }) => [kind, Object.values(subject)[0], ...facts.map(([name, value]) => `${name}=${value}`)].join(' | '))).toEqual([
      'loss | sw1:3 | lost=before sending | packets=12 | reason=headroom exhausted | from=0 | to=+1 ms',
      'loss | sw1:2 → sw1:3 | packets=1 | reason=link down | from=−1 ms | to=0',
      'loss | sw1:2 | lost=on arrival | packets=1 | reason=corrupted | from=−1 ms | to=0',
      'loss | sw1 | packets=1 | reason=TTL expired | from=−1 ms | to=0',
      'link down | sw1:2 | at=−995 µs',
      'route changed | sw1 | destination=10.0.0.1/32 | ports before=1 | ports after=none | at=−995 µs',
      'configuration | sw1 | finding=m | fix=f',
      `transfer | ${flow(1, 3)} | step=2 | bytes=4 kB | from=−993 µs`,
      'of tomorrow |  | switch=sw1 | level=4',
    ]);
  });
});

describe('roles', () => {
  test('flows and ports have their roles', () => {
    expect([flow(10, 3), flow(2, 3), flow(1, 3), flow(3, 1)].map((f) => flowRole(f, diagnosis))).toEqual([
      'culprit', 'victim', 'spreader', 'other',
    ]);
    expect(['sw3:3', 'sw2:3', 'sw1:1'].map((p) => portRole(p, diagnosis))).toEqual(['root', 'paused', 'other']);
  });

  test('of a misconfiguration the switch is the culprit, not the flows at its port', () => {
    const set = { ...diagnosis, root_cause: { ...diagnosis.root_cause, config: ['sw3/headroom', 'sw3:1/PG004'] } };
    expect(flowRole(flow(10, 3), set)).toBe('other');
    expect(culpritFlows(set)).toEqual([]);
    expect(culpritSwitches(set)).toEqual(['sw3']);
    expect(culpritSwitches(diagnosis)).toEqual([]);
  });

  test('a hop counts each record once, and a pause that lasted when its switch was read until then', () => {
    const [first, second] = hops(diagnosis, (port) => (port === 'sw2:3' ? 'sw3:2' : undefined));
    expect(first).toEqual({
      port: 'sw2:3', node: 'sw2', towards: 'sw3', role: 'paused', pausedPackets: 4, pausedNs: 300, stillPaused: true,
      recorded: true,
    });
    expect(second).toMatchObject({ role: 'root', pausedPackets: 0, recorded: false });
    expect(hops({ ...diagnosis, pause_path: [] }, () => undefined).map((hop) => hop.port)).toEqual(['sw3:3']);
  });
});

describe('provenance', () => {
  const graph: ProvenanceGraph = {
    nodes: [
      { kind: 'flow', id: flow(2, 3) },
      { kind: 'port', id: 'sw2:3' },
      { kind: 'port', id: 'sw3:3' },
      { kind: 'flow', id: flow(10, 3) },
    ],
    edges: [
      { from: 0, to: 1, kind: 'flow_waits_for_port', weight: 4 },
      { from: 1, to: 2, kind: 'port_waits_for_port', weight: 100 },
      { from: 2, to: 3, kind: 'port_waits_for_flow', weight: -2 },
    ],
  };
  const caused = { ...graph, edges: graph.edges.map((edge) => ({ ...edge, weight: Math.abs(edge.weight) })) };

  test('wait-for edges point to the right', () => {
    const laid = layProvenance(caused, diagnosis, hostsByAddress(topology));
    const xs = laid.nodes.map((node) => node.x);
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
    expect(laid.nodes.map((node) => node.role)).toEqual(['victim', 'paused', 'root', 'culprit']);
    expect(laid.groups.map((group) => group.name)).toEqual(['sw2', 'sw3']);
    expect(laid.edges.every((edge) => edge.path.startsWith('M') && edge.thickness >= 1)).toBe(true);
  });

  test('a victim is placed to the left, although the edge points to it', () => {
    const laid = layProvenance({ nodes: graph.nodes, edges: graph.edges.slice(2) }, diagnosis, new Map());
    expect(laid.nodes[3]!.x).toBeLessThan(laid.nodes[2]!.x);
  });

  test('the pause path keeps its order, whatever flows and other edges form cycles', () => {
    const ports = ['sw1:3', 'sw2:3', 'sw3:3'];
    const path: ProvenanceGraph = {
      nodes: [...ports.toReversed().map((id) => ({ kind: 'port' as const, id })), { kind: 'flow', id: flow(10, 3) }],
      edges: [
        { from: 0, to: 3, kind: 'port_waits_for_flow', weight: 900 },
        { from: 3, to: 2, kind: 'flow_waits_for_port', weight: 5 },
        { from: 3, to: 1, kind: 'flow_waits_for_port', weight: 5 },
        { from: 0, to: 1, kind: 'port_waits_for_port', weight: 7 },
        { from: 1, to: 0, kind: 'port_waits_for_port', weight: 1 },
      ],
    };
    const laid = layProvenance(path, { ...diagnosis, pause_path: ports }, hostsByAddress(topology));
    const xs = ports.map((port) => laid.nodes.find((node) => node.id === port)!.x);
    expect([...xs].sort((a, b) => a - b)).toEqual(xs);
    expect(laid.edges.length).toBe(5);
  });

  test('edges that go around others stay within the frame', () => {
    const ports = ['s1:1', 's2:2', 's3:2'];
    const nodes: ProvenanceGraph['nodes'] = [
      ...ports.map((id) => ({ kind: 'port' as const, id })),
      ...[1, 2, 3].map((n) => ({ kind: 'flow' as const, id: flow(n, 10) })),
    ];
    const waits = [0, 1, 2].map((from) => ({ from, to: (from + 1) % 3, kind: 'port_waits_for_port' as const, weight: 100 }));
    const at = [3, 4, 5].flatMap((from) => [0, 1, 2].map((to) => ({ from, to, kind: 'flow_waits_for_port' as const, weight: 5 })));
    const laid = layProvenance({ nodes, edges: [...waits, ...at] }, { ...diagnosis, pause_path: ports }, new Map());
    const { left, top, width, height } = laid;
    for (const { x, y } of laid.edges.flatMap((edge) => edge.points)) {
      expect([x > left, y > top, x < left + width, y < top + height]).toEqual([true, true, true, true]);
    }
  });

  test('loops and empty graphs have a layout', () => {
    const loop = { ...graph, edges: [...graph.edges, { ...graph.edges[1]!, from: 2, to: 1 }] };
    expect(layProvenance(loop, diagnosis, new Map()).nodes.length).toBe(4);
    expect(layProvenance({ nodes: [], edges: [] }, diagnosis, new Map()).nodes).toEqual([]);
  });

  test('a loss is named by its port and its reason', () => {
    const lost = { nodes: [{ kind: 'loss' as const, id: 'sw3:3 ttl' }, { kind: 'port' as const, id: 'sw3:3' }], edges: [] };
    expect(layProvenance(lost, diagnosis, new Map()).nodes.map(({ label }) => label)).toEqual(['sw3:3 TTL expired', 'sw3:3']);
  });
});

describe('heat', () => {
  const sample = (port: string, paused_ns: number, queue_bytes = 0): PortSample => ({
    port, time_ns: 1, interval_ns: 100, queue_bytes, queue_packets: 0, paused: false, paused_ns, tx_bps: 0,
  });

  test('a pause is shown at once and fades', () => {
    let ports = warm(new Map(), [sample('a:1', 80)]);
    expect(heatStep(ports.get('a:1')!.heat)).toBe(4);
    ports = warm(ports, [sample('a:1', 0)]);
    expect(heatStep(ports.get('a:1')!.heat)).toBe(4);
    for (let n = 0; n < 30; n += 1) ports = warm(ports, [sample('a:1', 0)]);
    expect(ports.get('a:1')!.heat).toBe(0);
    // The server sends no samples of a port that stays idle.
    ports = warm(warm(new Map(), [sample('a:1', 80)]), [sample('a:1', 0)]);
    for (let n = 0; n < 30; n += 1) ports = warm(ports, []);
    expect(ports.get('a:1')!.heat).toBe(0);
  });

  test('a paused port is always shown as paused', () => {
    expect(heatStep(pauseShare({ interval_ns: 0, paused_ns: 0, paused: true }))).toBe(1);
  });

  test('ports are ordered by time paused, then by queue', () => {
    const ports = warm(new Map(), [sample('a:1', 0, 9), sample('b:1', 50), sample('c:1', 0), sample('d:1', 0, 99)]);
    expect(busiest(ports, 3).map((state) => state.sample.port)).toEqual(['b:1', 'd:1', 'a:1']);
  });
});

describe('incidents', () => {
  const incident = (id: string, update_ns: number, end_ns: number | null = null) =>
    ({ id, update_ns, end_ns }) as Incident;

  test('ongoing incidents come first, and an update replaces an incident', () => {
    const list = ordered([incident('a', 5, 5), incident('b', 1), incident('c', 3)]);
    expect(list.map((i) => i.id)).toEqual(['c', 'b', 'a']);
    expect(withIncident(list, incident('b', 9)).map((i) => i.id)).toEqual(['b', 'c', 'a']);
    expect(withIncident(list, incident('c', 3, 3)).map((i) => i.id)).toEqual(['b', 'a', 'c']);
  });

  test('the wall clock orders incidents of two runs, whose switch time starts again', () => {
    const former = { ...incident('former', 9e9, 9e9), update_time: '2026-01-01T00:00:00Z' };
    const latter = { ...incident('latter', 1e9, 1e9), update_time: '2026-01-01T00:01:00Z' };
    expect(ordered([former, latter]).map((i) => i.id)).toEqual(['latter', 'former']);
  });

  test('events that arrive while the list is loaded are kept if they are newer', () => {
    const loaded = [incident('a', 5), incident('b', 4)];
    const events = [incident('c', 6), incident('b', 3, 3), incident('a', 5, 5)];
    expect(merged(loaded, events).map(({ id, end_ns }) => [id, end_ns])).toEqual([['c', null], ['b', null], ['a', 5]]);
    expect(merged([], [])).toEqual([]);
  });

  test('the counts that are shown are never below the list', () => {
    const list = [{ end_ns: null }, { end_ns: null }, { end_ns: 7 }] as Incident[];
    expect(shownCounts(null, list)).toEqual({ ongoing: 2, ended: 1 });
    // Two incidents have started since the server counted.
    expect(shownCounts({ total: 0, open: 0 }, list)).toEqual({ ongoing: 2, ended: 1 });
    expect(shownCounts({ total: 350, open: 3 }, list)).toEqual({ ongoing: 3, ended: 347 });
  });

  test('the counts follow an incident until the server has counted again', () => {
    const [open, ended] = [incident('a', 1), incident('a', 2, 2)];
    expect(counted({ total: 5, open: 0 }, undefined, open)).toEqual({ total: 6, open: 1 });
    expect(counted({ total: 6, open: 1 }, open, ended)).toEqual({ total: 6, open: 0 });
    expect(counted({ total: 6, open: 0 }, ended, open)).toEqual({ total: 6, open: 1 });
    expect(counted({ total: 6, open: 1 }, open, open)).toEqual({ total: 6, open: 1 });
  });

  test('the live list is bounded', () => {
    const list = withIncident([incident('a', 1), incident('b', 2)], incident('c', 3), 2);
    expect(list.map((i) => i.id)).toEqual(['c', 'b']);
  });

  test('an ended incident whose port is paused again says so', () => {
    const root = (host: string | null) => ({ port: 'sw1:1', flows: [], host, config: [] });
    const storm = { end_ns: 5, root_cause: root('h1'), pause_path: ['sw2:3', 'sw1:1'], loop: [] };
    const rest = { time_ns: 1000, interval_ns: 100, queue_bytes: 0, queue_packets: 0, paused_ns: 0, tx_bps: 0 };
    const ports = (paused: string[]) =>
      warm(new Map(), ['sw1:1', 'sw2:3', 'sw9:9'].map((port) => ({ ...rest, port, paused: paused.includes(port) })));
    const again = (incident: typeof storm, paused: string[], open: typeof storm[] = [], nowNs = 1000) => pausedAgain(incident, ports(paused), open, nowNs);
    expect(again(storm, ['sw2:3', 'sw1:1'])).toBe('sw1:1');
    expect(again(storm, ['sw2:3'])).toBe('sw2:3');
    expect(again(storm, ['sw9:9'])).toBeNull();
    expect(again({ ...storm, end_ns: null as unknown as number }, ['sw1:1'])).toBeNull();
    // The root port of a queue is not paused, and without pauses none can be paused again.
    expect(again({ ...storm, root_cause: root(null) }, ['sw1:1'])).toBeNull();
    expect(again({ ...storm, pause_path: [] }, ['sw1:1'])).toBeNull();
    // Another incident is open that explains the pause, or the switch is no longer sampled.
    const open = { ...storm, end_ns: null as unknown as number, pause_path: ['sw2:3'] };
    expect(again(storm, ['sw2:3'], [open])).toBeNull();
    expect(again(storm, ['sw1:1'], [], 9000)).toBeNull();
  });

  test('filters round trip through the URL, and unknown parameters are left out', () => {
    const filters = filtersOf(new URLSearchParams('port=sw1:3&host=&open=true&other=1'));
    expect(filters).toEqual({ port: 'sw1:3', open: 'true' });
    expect(filtersOf(new URLSearchParams(queryOf(filters)))).toEqual(filters);
  });

  test.each([
    ['h10', { host: 'h10' }],
    ['h11', { text: 'h11' }],
    ['sw4:1', { port: 'sw4:1' }],
    [flow(1, 3), { flow: flow(1, 3) }],
    ['Incast', { cause: 'incast' }],
    ['nic storm', { cause: 'nic_storm' }],
    ['packet loss', { anomaly: 'packet_loss' }],
    ['critical', { severity: 'critical' }],
    ['ongoing', { open: 'true' }],
    ['ended', { open: 'false' }],
    ['silenced', { handling: 'silenced' }],
    ['h1 → h3', { host: 'h1', peer: 'h3' }],
    ['H1 -> 11.0.3.1', { host: 'h1', peer: 'h3' }],
    ['H3', { host: 'h3' }],
    ['11.0.3.1', { host: 'h3' }],
    ['SW2', { switch: 'sw2' }],
    ['h3:1', { port: 'sw3:3' }],
    ['SW2:3', { port: 'sw2:3' }],
    ['NIC storm', { cause: 'nic_storm' }],
    ['storm', { text: 'storm' }],
    [' ', {}],
  ])('a search for %s', (word, expected) => {
    expect(searchFilter(word, { anomalies: ANOMALIES, causes: CAUSES, severities: SEVERITIES, topology })).toEqual(expected);
  });

  test('an incident matches by host, port and flow', () => {
    const hosts = hostsByAddress(topology);
    const storm = {
      ...incident('a', 1), headline: { culprit: '', text: 'NIC storm at h10 stops 1 flow' }, anomaly: 'pfc_storm_host_injection', cause: 'nic_storm', victims: [flow(1, 3)],
      root_cause: { port: 'sw3:4', flows: [], host: 'h10', config: [] },
    } as Incident;
    for (const filters of [{ host: 'h1' }, { host: 'h10' }, { port: 'sw3:4' }, { flow: flow(1, 3) }, { open: 'true' }, { switch: 'sw3' }, { host: 'h1', peer: 'h3' }, { text: 'storm' }]) {
      expect(matches(storm, filters, hosts)).toBe(true);
    }
    for (const filters of [{ host: 'h2' }, { port: 'sw3:3' }, { flow: flow(1, 2) }, { open: 'false' }, { cause: 'incast' }, { switch: 'sw1' }, { host: 'h3', peer: 'h1' }, { text: 'loss' }]) {
      expect(matches(storm, filters, hosts)).toBe(false);
    }
  });
});

describe('records', () => {
  test('fields without a value are left out', () => {
    const at = moments(0, null);
    const [record, closed, open] = atRoot.records.map((r) => recordRow(r, atRoot, at));
    expect(record?.facts).toEqual([
      ['ports', '1 → 3'], ['packets', '10'], ['paused', '4'], ['mean depth', '2.5 packets'], ['priority', '3'],
    ]);
    const elsewhere = { ...atRoot, epoch: null };
    expect(recordRow(atRoot.records[0]!, elsewhere, at).facts.at(-1)).toEqual(['epoch', '7']);
    expect(closed?.subject).toEqual({ port: 'sw2:3' });
    expect(closed?.facts[1]).toEqual(['for', '300 ns']);
    expect(open?.facts[1]).toEqual(['for', 'still paused when read']);
    // The sum of the pauses tells how long the last one was at least.
    const pauses = atRoot.records.filter(({ kind }) => kind === 'pause');
    const summed = { ...atRoot, records: [{ kind: 'pause_total', port: 'sw2:3', pauses: 2, paused_ns: 900 } as EvidenceRecord, ...pauses] };
    expect(recordRow(pauses[1]!, summed, at).facts[1]).toEqual(['for', 'at least 600 ns, still paused when read']);
  });
});
