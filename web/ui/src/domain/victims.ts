// The affected flows of a verdict, and whether the verdict is a guess.

import type { Flow, Incident } from './types';

/** Below this confidence a verdict is more likely wrong than right. */
export const WEAK = 0.5;

/** The affected flows: culprits are not victims, unless no other flow is, as in a deadlock of their own. */
export function victimsOf({ victims, root_cause: root }: Pick<Incident, 'victims' | 'root_cause'>): Flow[] {
  // The flows at the port of a misconfiguration are no culprits.
  const culprits = root.config.length > 0 ? [] : root.flows;
  const others = victims.filter((flow) => !culprits.includes(flow));
  if (others.length > 0) return others;
  return victims.length > 0 ? victims : culprits;
}

/** The number of affected flows; the list of an incident is cut off after a few. */
export function countAffected(incident: Pick<Incident, 'victims' | 'root_cause'> & { victim_count?: number }): number {
  const listed = victimsOf(incident).length;
  return Math.max(listed, incident.victim_count ?? 0);
}
