// The diagnoses of one delay: one that has several causes has a diagnosis for each of them.

import { parseFlow } from './flow';
import type { Diagnosis } from './types';

/** The part of a diagnosis that a list of diagnoses has. */
export type Listed = Pick<Diagnosis, 'id' | 'time_ns' | 'victim' | 'headline' | 'delay_share' | 'confidence' | 'anomaly' | 'cause'>;

/** The share of a delay with several causes in percent, or null. */
export function percentOf({ delay_share: share }: Pick<Diagnosis, 'delay_share'>): string | null {
  return typeof share === 'number' ? String(Math.round(100 * share)) : null;
}

/** The query of `GET /diagnoses` for all diagnoses of the same victim and time; null if the delay has one cause. */
export function sameDelayQuery(diagnosis: Pick<Diagnosis, 'delay_share' | 'victim' | 'time_ns'>): string | null {
  const parts = parseFlow(diagnosis.victim ?? '');
  if (!parts || percentOf(diagnosis) === null) return null;
  const time = { since: String(diagnosis.time_ns), until: String(diagnosis.time_ns + 1) };
  return new URLSearchParams({ ...parts, ...time, view: 'summary' }).toString();
}

/** The other diagnoses of the delay, the largest share first. */
export function othersOf<T extends Listed>(all: T[], diagnosis: Listed): T[] {
  const isOther = (one: T) => one.id !== diagnosis.id && one.victim === diagnosis.victim && one.time_ns === diagnosis.time_ns;
  return all.filter(isOther).sort((a, b) => (b.delay_share ?? 0) - (a.delay_share ?? 0));
}
