import { describe, expect, test } from 'vitest';
import { links, parseRoute } from './route';

const at = (path: string) => parseRoute(new URL(path, 'http://127.0.0.1'));

describe('route', () => {
  test.each([
    ['/', { view: 'overview', incident: null }],
    [links.overview('i 1'), { view: 'overview', incident: 'i 1' }],
    [links.incident('i/1'), { view: 'incident', id: 'i/1' }],
    [links.diagnosis('d'), { view: 'diagnosis', id: 'd' }],
    [links.port('sw1:3'), { view: 'port', port: 'sw1:3' }],
    [links.query('10.0.0.1:1>10.0.0.2:2/udp'), { view: 'query', flow: '10.0.0.1:1>10.0.0.2:2/udp' }],
    [links.daemons(), { view: 'daemons' }],
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
