import { describe, expect, test } from 'vitest';
import { links, networkSettings, parseRoute, withNetwork } from './route';

const at = (path: string) => parseRoute(new URL(path, 'http://127.0.0.1'));

describe('route', () => {
  test.each([
    ['/', { view: 'overview', incident: null }],
    [links.overview('i 1'), { view: 'overview', incident: 'i 1' }],
    [links.incident('i/1'), { view: 'incident', id: 'i/1' }],
    [links.diagnosis('d'), { view: 'diagnosis', id: 'd' }],
    [links.port('sw1:3'), { view: 'port', port: 'sw1:3' }],
    [links.flow('10.0.0.1:1>10.0.0.2:2/udp'), { view: 'flow', flow: '10.0.0.1:1>10.0.0.2:2/udp' }],
    [links.query('10.0.0.1:1>10.0.0.2:2/udp'), { view: 'query', flow: '10.0.0.1:1>10.0.0.2:2/udp' }],
    [links.daemons(), { view: 'daemons' }],
    [links.access(), { view: 'access' }],
    [links.runbook(), { view: 'runbook', anomaly: '' }],
    [links.runbook('packet_loss', 'misconfiguration'), { view: 'runbook', anomaly: 'packet_loss' }],
    ['/nope', { view: 'unknown', path: '/nope' }],
    // An invalid escape names nothing, and the page says so.
    ['/incidents/%E0%A4%A', { view: 'incident', id: '%E0%A4%A' }],
  ])('%s', (path, route) => expect(at(path)).toEqual(route));

  test('the history keeps its filters', () => {
    const route = at(links.history('port=sw1%3A3&cursor=5~i'));
    expect(route.view === 'history' && [...route.query]).toEqual([['port', 'sw1:3'], ['cursor', '5~i']]);
  });
});

describe('pages of nodes, and the network as a table', () => {
  test('names with a slash are one name', () => {
    expect(parseRoute(new URL('http://x/switches/pod1%2Fleaf2'))).toEqual({ view: 'switch', name: 'pod1/leaf2' });
    expect(parseRoute(new URL(links.host('h 1'), 'http://x'))).toEqual({ view: 'host', name: 'h 1' });
  });

  test('only views with the network keep how it is shown', () => {
    const settings = { asTable: true, measure: 'queue' } as const;
    expect(withNetwork('/?incident=i-1', settings)).toBe('/?incident=i-1&network=table&links=queue');
    expect(withNetwork('/ports/sw1%3A1', settings)).toBe('/ports/sw1%3A1');
    expect(networkSettings(new URL('http://x/?network=table&links=queue'))).toEqual(settings);
  });

  test('the map of pauses is usual and needs no parameter; an unknown one is that too', () => {
    const usual = { asTable: false, measure: 'paused' } as const;
    expect(withNetwork('/incidents/i-1?links=queue', usual)).toBe('/incidents/i-1');
    expect(networkSettings(new URL('http://x/?links=colour'))).toEqual(usual);
  });
});
