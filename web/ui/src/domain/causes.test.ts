import { expect, test } from 'vitest';
import { type Listed, othersOf, percentOf, sameDelayQuery } from './causes';

const victim = '10.0.1.1:10000>10.0.3.1:4791/udp';
const verdict = (id: string, share: number | null, more: Partial<Listed> = {}): Listed => ({
  id, victim, time_ns: 500, headline: { culprit: id, text: id }, confidence: 1, anomaly: 'flow_contention', cause: 'incast',
  delay_share: share, ...more,
});

test('a delay with several causes has the diagnoses of its victim and time', () => {
  expect(percentOf(verdict('a', 0.66))).toBe('66');
  expect(sameDelayQuery(verdict('a', null))).toBeNull();
  expect(sameDelayQuery(verdict('a', 0.66))).toBe('src=10.0.1.1&sport=10000&dst=10.0.3.1&dport=4791&proto=udp&since=500&until=501&view=summary');
  const all = [verdict('a', 0.66), verdict('b', 0.09), verdict('c', 0.25), verdict('d', 0.5, { time_ns: 501 })];
  expect(othersOf(all, verdict('a', 0.66)).map(({ id }) => id)).toEqual(['c', 'b']);
});
