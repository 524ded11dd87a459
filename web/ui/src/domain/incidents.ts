// The list of incidents: what REST returned, and what the live stream added since.

import type { Incident } from './types';

/** The list with one incident added or replaced, in its order. */
export function withIncident(list: Incident[], incident: Incident): Incident[] {
  return ordered([incident, ...list.filter((known) => known.id !== incident.id)]);
}

/** Those that last first, then the latest touched first. */
export function ordered(list: Incident[]): Incident[] {
  return [...list].sort(
    (a, b) =>
      Number(a.end_ns !== null) - Number(b.end_ns !== null) ||
      b.update_ns - a.update_ns ||
      (a.id < b.id ? 1 : -1),
  );
}
