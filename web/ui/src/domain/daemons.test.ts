import { describe, expect, test } from 'vitest';
import { byAttention, clockOffset, reported, second, serverProblems, switchClocks } from './daemons';
import type { Daemon } from './types';

describe('daemons', () => {
  const daemon = (kind: string, name: string, more: Partial<Daemon> = {}): Daemon => ({
    kind, name, software: '1', boot_id: 'b', state: 'connected', heard: '2026-01-02T03:04:05.678Z',
    clock_offset_ns: null, clock_error_ns: 0, rejected: 0, lost: 0, problems: [], ...more,
  });
  const problem = { subject: 'server', reason: 'no connection' };

  test('unreachable daemons come first, then those with problems', () => {
    const daemons = [
      daemon('agent', 'h10'),
      daemon('agent', 'h2'),
      daemon('agent', 'h3', { problems: [problem] }),
      daemon('controller', 'c1', { state: 'silent' }),
      daemon('controller', 'c2', { lost: 4 }),
    ];
    expect(byAttention(daemons).map(({ name }) => name)).toEqual(['c1', 'h3', 'c2', 'h2', 'h10']);
  });

  test('cables and failed links are shown with the problems', () => {
    const cables = [{ port: 'sw1:3', text: 'sw1:3 leads to sw4:1, not to sw2:1' }];
    const subjects = reported(daemon('controller', 'c1', { problems: [problem], cables, failed_links: ['sw2:2'] }));
    expect(subjects.map(({ subject }) => subject)).toEqual(['server', 'sw1:3', 'sw2:2']);
  });

  test('problems of daemons are not shown as those of the server', () => {
    const own = { subject: 'store', reason: 'full' };
    const problems = [own, { ...problem, subject: 'agent h1: server' }, { ...problem, subject: 'agent h1' }];
    expect(serverProblems({ daemons: [daemon('agent', 'h1')], problems })).toEqual([own]);
  });

  test.each([
    [clockOffset(daemon('agent', 'h1')), '–'],
    [clockOffset(daemon('agent', 'h1', { clock_offset_ns: -50_000_000, clock_error_ns: 20_000 })), '\u221250 ms ± 20 µs'],
    [switchClocks(daemon('agent', 'h1')), ''],
    [switchClocks(daemon('controller', 'c1', { switch_clocks: [{ switch: 'sw1', error_ns: 20_000 }, { switch: 'sw2', error_ns: 300_000 }] })), 'switches ± 300 µs'],
    [switchClocks(daemon('controller', 'c1', { switch_clocks: [{ switch: 'sw1' }] })), '1 of 1 switches: error not known'],
    [second('2026-01-02T03:04:05.678+01:00'), '2026-01-02 02:04:05'],
    [second('?'), '?'],
  ])('%s', (text, expected) => expect(text).toBe(expected));
});
