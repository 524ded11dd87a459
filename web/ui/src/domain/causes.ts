// The diagnoses of one delay: one that has several causes has a diagnosis for each of them.

import { parseFlow } from './flow';
import type { Diagnosis } from './types';

/** The part of a diagnosis that a list of diagnoses has. */
export type Listed = Pick<Diagnosis, 'id' | 'time_ns' | 'victim' | 'headline' | 'summary' | 'confidence' | 'anomaly' | 'cause'>;

/** The share of the delay that a summary states, as `this is about 66 % of the delay, which has several causes`; else null. */
export function shareOf({ summary }: Pick<Diagnosis, 'summary'>): string | null {
  return /about (\d+) % of the delay, which has several causes/.exec(summary)?.[1] ?? null;
}

/** The query of `GET /diagnoses` for all diagnoses of the same victim and time; null if the delay has one cause. */
export function sameDelayQuery(diagnosis: Pick<Diagnosis, 'summary' | 'victim' | 'time_ns'>): string | null {
  const parts = parseFlow(diagnosis.victim ?? '');
  if (!parts || shareOf(diagnosis) === null) return null;
  const time = { since: String(diagnosis.time_ns), until: String(diagnosis.time_ns + 1) };
  return new URLSearchParams({ ...parts, ...time, view: 'summary' }).toString();
}

/** The other diagnoses of the delay, the largest share first. */
export function othersOf<T extends Listed>(all: T[], diagnosis: Listed): T[] {
  const isOther = (one: T) => one.id !== diagnosis.id && one.victim === diagnosis.victim && one.time_ns === diagnosis.time_ns;
  return all.filter(isOther).sort((a, b) => Number(shareOf(b) ?? 0) - Number(shareOf(a) ?? 0));
}

/** What data is missing, and notes of the analyzer among it that are no missing data. */
export function gaps({ missing }: Pick<Diagnosis, 'missing'>): { missing: string[]; notes: string[] } {
  const isNote = (text: string) => text.startsWith('the root cause is that of the verdict at ');
  return { missing: missing.filter((text) => !isNote(text)), notes: missing.filter(isNote) };
}
