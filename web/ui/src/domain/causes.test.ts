import { expect, test } from 'vitest';
import { gaps, type Listed, othersOf, sameDelayQuery, shareOf } from './causes';

const victim = '10.0.1.1:10000>10.0.3.1:4791/udp';
const verdict = (id: string, share: number | null, more: Partial<Listed> = {}): Listed => ({
  id, victim, time_ns: 500, headline: { culprit: id, text: id }, confidence: 1, anomaly: 'flow_contention', cause: 'incast',
  summary: share === null ? 'incast' : `incast; this is about ${share} % of the delay, which has several causes`, ...more,
});

test('a delay with several causes has the diagnoses of its victim and time', () => {
  expect(shareOf(verdict('a', 66))).toBe('66');
  expect(sameDelayQuery(verdict('a', null))).toBeNull();
  expect(sameDelayQuery(verdict('a', 66))).toBe('src=10.0.1.1&sport=10000&dst=10.0.3.1&dport=4791&proto=udp&since=500&until=501&view=summary');
  const all = [verdict('a', 66), verdict('b', 9), verdict('c', 25), verdict('d', 50, { time_ns: 501 })];
  expect(othersOf(all, verdict('a', 66)).map(({ id }) => id)).toEqual(['c', 'b']);
});

test('a note about the root cause is no missing data', () => {
  const note = 'the root cause is that of the verdict at 4.721 ms, whose records show how the loop came to stand still';
  expect(gaps({ missing: ['switch s1 did not report', note] })).toEqual({ missing: ['switch s1 did not report'], notes: [note] });
});
