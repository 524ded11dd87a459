// The affected flows of a verdict, and whether the verdict is a guess.

import { count, plural } from './format';
import { culpritFlows } from './roles';
import type { Diagnosis, Flow, Incident } from './types';

/** Below this confidence a verdict is more likely wrong than right. */
export const WEAK = 0.5;

/** The affected flows: culprits are not victims, unless no other flow is, as in a deadlock of their own. */
export function victimsOf({ victims, root_cause: root }: Pick<Incident, 'victims' | 'root_cause'>): Flow[] {
  const culprits = culpritFlows({ root_cause: root });
  const others = victims.filter((flow) => !culprits.includes(flow));
  if (others.length > 0) return others;
  return victims.length > 0 ? victims : culprits;
}

/** The number of affected flows; the list of an incident is cut off after a few. */
export function countAffected(incident: Pick<Incident, 'victims' | 'root_cause'> & { victim_count?: number }): number {
  const listed = victimsOf(incident).length;
  return Math.max(listed, incident.victim_count ?? 0);
}

/**
 * A diagnosis with the victims of its incident, which has those of other diagnoses too: one of them stands for the
 * victims if all that the diagnosis names are culprits.
 */
export function withVictims<T extends Diagnosis | null>(diagnosis: T, incident: Pick<Incident, 'victims'> | null | undefined): T {
  if (!diagnosis || !incident) return diagnosis;
  // Every panel reads the result: an answer without a list must not make all of them fail.
  return { ...diagnosis, victims: [...new Set([...(diagnosis.victims ?? []), ...(incident.victims ?? [])])] };
}

/** What a list of affected flows shows: "2 affected flows", or "2 of 8 affected flows" if it is shortened. */
export function affectedText(listed: number, all: number, what = 'affected flow'): string {
  return listed < all ? `${count(listed)} of ${plural(all, what)}` : plural(listed, what);
}
