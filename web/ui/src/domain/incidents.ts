// The list of incidents: loaded over REST, updated by the live stream.

import type { Incident } from './types';

/** The list with one incident added or replaced, in its order. */
export function withIncident(list: Incident[], incident: Incident): Incident[] {
  return ordered([incident, ...list.filter((known) => known.id !== incident.id)]);
}

/** Ongoing incidents first, then the latest update first. */
export function ordered(list: Incident[]): Incident[] {
  return [...list].sort(
    (a, b) =>
      Number(a.end_ns !== null) - Number(b.end_ns !== null) ||
      b.update_ns - a.update_ns ||
      (a.id < b.id ? 1 : -1),
  );
}
