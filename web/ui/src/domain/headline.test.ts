import { describe, expect, test } from 'vitest';
import { ANOMALIES, CAUSES } from './format';
import { countAffected, headline, type Subject, victimsOf } from './headline';
import type { RootCause } from './types';

const flow = (from: number, to: number) => `11.0.${from}.1:10000>11.0.${to}.1:100/udp`;
const hosts = new Map([1, 2, 3, 4, 5, 9].map((n) => [`11.0.${n}.1`, `h${n}`]));
const root = (more: Partial<RootCause> = {}): RootCause => ({ port: 'sw3:3', flows: [], host: null, config: [], ...more });
const incident = (anomaly: string, cause: string, cause_of: Partial<RootCause> = {}, more: Partial<Subject> = {}): Subject => ({
  anomaly: anomaly as Subject['anomaly'],
  cause: cause as Subject['cause'],
  confidence: 0.9,
  root_cause: root(cause_of),
  victims: [flow(1, 9), flow(2, 9), flow(3, 9)],
  ...more,
});
const four = [flow(1, 4), flow(2, 4), flow(3, 4), flow(5, 4)];
const config = ['far/headroom'];

describe('headline', () => {
  test.each<[Subject, string]>([
    // Every cause.
    [incident('pfc_storm_host_injection', 'nic_storm', { host: 'h11' }), 'NIC storm at h11 stops 3 flows'],
    [incident('pfc_storm_host_injection', 'slow_receiver', { host: 'h11' }), 'Slow receiver h11 stops 3 flows'],
    [incident('flow_contention', 'incast', { flows: four }), 'Incast of 4 flows to h4 slows 3 flows'],
    [incident('flow_contention', 'incast', { flows: [flow(1, 4), flow(2, 5)] }), 'Incast of 2 flows slows 3 flows'],
    [incident('flow_contention', 'elephant_collision', { flows: four.slice(0, 2) }), 'Collision of 2 large flows slows 3 flows'],
    [incident('flow_contention', 'elephant_collision', { flows: four.slice(0, 1) }), 'Large flow h1 → h4 slows 3 flows'],
    [incident('flow_contention', 'ecmp_imbalance', { flows: four }), 'ECMP imbalance of 4 flows slows 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'low_rate_attack', { flows: four.slice(0, 2) }), 'Low-rate attack from h1, h2 pauses 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'low_rate_attack', { flows: four }), 'Low-rate attack from 4 hosts pauses 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'collective_step', { flows: four }), 'Collective step of 4 flows pauses 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'misconfiguration'), 'Misconfiguration at sw3:3 pauses 3 flows'],
    [incident('pfc_storm_host_injection', 'undetermined', { host: 'h11' }), 'Pausing host h11 stops 3 flows'],
    // Every anomaly.
    [incident('flow_contention', 'undetermined', { flows: [flow(1, 4)] }), 'Flow h1 → h4 slows 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'undetermined', { flows: four }), 'Contention of 4 flows to h4 pauses 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'undetermined'), 'Congestion at sw3:3 pauses 3 flows'],
    [incident('pfc_backpressure_flow_contention', 'undetermined', { port: null }), 'A port that is not recorded pauses 3 flows'],
    [incident('deadlock_in_loop_contention', 'undetermined', { flows: [flow(1, 4)] }), 'Flow h1 → h4 closes a deadlock and stops 3 flows'],
    [incident('deadlock_in_loop_contention', 'undetermined', { port: null }), 'Unknown congestion closes a deadlock and stops 3 flows'],
    [incident('deadlock_out_of_loop_contention', 'incast', { flows: four }), 'Incast of 4 flows to h4 closes a deadlock and stops 3 flows'],
    [incident('deadlock_out_of_loop_injection', 'nic_storm', { host: 'h11' }), 'NIC storm at h11 closes a deadlock and stops 3 flows'],
    [incident('routing_loop', 'undetermined'), 'Forwarding loop at sw3:3 slows 3 flows'],
    [incident('routing_loop', 'misconfiguration', { config: ['sw3/route'] }), 'Configuration sw3/route sends packets of 3 flows in a loop'],
    [incident('class_contention', 'incast', { flows: four }), 'Incast of 4 flows to h4 in another class delays 3 flows'],
    [incident('packet_loss', 'undetermined'), 'Packet loss at sw3:3 slows 3 flows'],
    [incident('path_change', 'undetermined'), 'Path change at sw3:3 slows 3 flows'],
    [incident('self_inflicted', 'undetermined', { flows: [flow(1, 9)] }), 'h1 → h9 queues behind its own packets'],
    [incident('host_only', 'undetermined', { port: null }, { victims: [flow(1, 9)] }), 'No anomaly in the network; h1 → h9 is slow: sender, receiver or application'],
    [incident('undetermined', 'undetermined', { port: null }), 'Cause not found: 3 flows are slow'],
    // A misconfiguration names the configuration, although flows and a host are at the root port.
    [incident('packet_loss', 'misconfiguration', { config, flows: four, host: 'h11' }), 'Configuration far/headroom drops packets of 3 flows'],
    [incident('flow_contention', 'misconfiguration', { config: ['a/alpha', 'b/alpha', 'c/alpha'] }), 'Configuration a/alpha and 2 more slows 3 flows'],
    // Kinds of a newer server.
    [incident('lunar_interference', 'gpu_co_location', { host: 'h11' }), 'GPU co location at h11 slows 3 flows'],
    [incident('lunar_interference', 'solar_flare', { port: null, flows: four }), 'Solar flare of 4 flows slows 3 flows'],
  ])('%#: $1', (subject, expected) => expect(headline(subject, hosts).text).toBe(expected));

  test('every anomaly has a headline with every cause, in words', () => {
    for (const anomaly of ANOMALIES) {
      for (const cause of CAUSES) {
        const { text, culprit, effect } = headline(incident(anomaly, cause, { flows: four.slice(0, 1) }), hosts);
        expect(text.startsWith(culprit) && text.endsWith(effect)).toBe(true);
        expect(`${text} of ${anomaly}, ${cause}`).toMatch(/^[^_]{20,} of /);
      }
    }
  });

  test('one victim is named, and a culprit is no victim', () => {
    const storm = incident('pfc_storm_host_injection', 'nic_storm', { host: 'h4' }, { victims: [flow(1, 4)] });
    expect(headline(storm, hosts).effect).toBe('stops h1 → h4');
    const incast = incident('flow_contention', 'incast', { flows: four }, { victims: [flow(9, 4), ...four] });
    expect(victimsOf(incast)).toEqual([flow(9, 4)]);
    expect(headline(incast, hosts).text).toBe('Incast of 4 flows to h4 slows h9 → h4');
    const set = incident('packet_loss', 'misconfiguration', { config, flows: four }, { victims: four });
    expect(headline(set, hosts).effect).toBe('drops packets of 4 flows');
    // In a deadlock the culprits may be the only victims.
    for (const victims of [four, []]) {
      expect(countAffected(incident('deadlock_in_loop_contention', 'undetermined', { flows: four }, { victims, victim_count: 0 }))).toBe(4);
    }
  });

  test('the number of victims is that of the server, which lists some of them', () => {
    const storm = incident('pfc_storm_host_injection', 'nic_storm', { host: 'h4' }, { victim_count: 31 });
    expect(headline(storm, hosts).effect).toBe('stops 31 flows');
  });

  test('the place is the root port, or the first port of the loop', () => {
    expect(headline(incident('flow_contention', 'incast'), hosts).place).toBe('sw3:3');
    const loop = incident('deadlock_in_loop_contention', 'undetermined', { port: null }, { loop: ['s1:1', 's2:2'] });
    expect(headline(loop, hosts).place).toBe('s1:1');
  });

  test('a verdict below one half is weak', () => {
    expect(headline(incident('flow_contention', 'incast', {}, { confidence: 0.49 }), hosts).isWeak).toBe(true);
    expect(headline(incident('flow_contention', 'incast', {}, { confidence: 0.5 }), hosts).isWeak).toBe(false);
  });
});
