// Agents and controllers, as GET /daemons lists them.

import { duration, natural } from './format';
import type { Daemon, Daemons, HealthProblem } from './types';

/** Daemons that need attention first: unreachable ones, then those with problems; each part by kind and name. */
export function byAttention(daemons: Daemon[]): Daemon[] {
  const rank = (daemon: Daemon) => {
    if (daemon.state !== 'connected') return 0;
    return hasProblems(daemon) ? 1 : 2;
  };
  return daemons.toSorted(
    (a, b) => rank(a) - rank(b) || natural(a.kind, b.kind) || natural(a.name, b.name),
  );
}

/** Whether a connected daemon reports something that needs attention, or records were rejected or lost. */
export function hasProblems(daemon: Daemon): boolean {
  return reported(daemon).length > 0 || daemon.rejected > 0 || daemon.lost > 0;
}

/** What a daemon reports: what keeps it from its work, cables that differ from the topology, links that have failed. */
export function reported(daemon: Daemon): HealthProblem[] {
  const cables = (daemon.cables ?? []).map(({ port, text }) => ({ subject: port, reason: text }));
  const links = (daemon.failed_links ?? []).map((port) => ({ subject: port, reason: 'the link has failed; routes avoid it' }));
  return [...daemon.problems, ...cables, ...links];
}

/** What keeps the server itself from its work: the list without what concerns a daemon, which its row shows. */
export function serverProblems({ daemons, problems }: Daemons): HealthProblem[] {
  const names = new Set(daemons.map((daemon) => `${daemon.kind} ${daemon.name}`));
  return problems.filter(({ subject }) => !names.has(subject.split(': ')[0] ?? subject));
}

/** The offset of a daemon's clock from the server's, with its maximum error; a dash until it is measured. */
export function clockOffset(daemon: Daemon): string {
  const offset = daemon.clock_offset_ns;
  if (offset === null || offset === undefined) return '–';
  const sign = offset < 0 ? '\u2212' : '+';
  return `${sign}${duration(Math.abs(offset))} ± ${duration(daemon.clock_error_ns)}`;
}

/** How well the clocks of a controller's switches are known: the worst of them; empty for other daemons. */
export function switchClocks(daemon: Daemon): string {
  const errors = (daemon.switch_clocks ?? []).map(({ error_ns: error }) => error);
  const known = errors.filter((error) => error !== null && error !== undefined);
  const unknown = errors.length - known.length;
  const texts = known.length > 0 ? [`switches \u00b1 ${duration(Math.max(...known))}`] : [];
  if (unknown > 0) texts.push(`${unknown} of ${errors.length} switches: error not known`);
  return texts.join('; ');
}

/** An RFC 3339 time to the second, in UTC. */
export function second(time: string): string {
  const at = new Date(time);
  return Number.isNaN(at.getTime()) ? time : at.toISOString().slice(0, 19).replace('T', ' ');
}
