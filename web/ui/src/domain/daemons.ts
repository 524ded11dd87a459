// The daemons of a deployment, those with problems first.

import { duration, natural } from './format';
import type { Daemon } from './types';

const URGENCY: Record<Daemon['state'], number> = { disconnected: 0, silent: 1, connected: 2 };

/** Daemons that do not work first, then controllers before agents, then by name. */
export function byUrgency(daemons: Daemon[]): Daemon[] {
  const urgency = (daemon: Daemon) =>
    daemon.state === 'connected' && daemon.problems.length > 0 ? 1.5 : URGENCY[daemon.state];
  return [...daemons].sort(
    (a, b) => urgency(a) - urgency(b) || b.kind.localeCompare(a.kind, 'en') || natural(a.name, b.name),
  );
}

/** "3 s ago", "2 min ago": the age of a time in RFC 3339. A time ahead of this browser's clock is "now". */
export function age(heard: string, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(heard)) / 1000);
  if (Number.isNaN(seconds)) return heard;
  if (seconds < 1) return 'now';
  if (seconds < 120) return `${seconds} s ago`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

/** The offset of a clock with its error, e.g. "+1.2 ms ± 40 µs". */
export function offset(daemon: Daemon): string {
  if (daemon.clock_offset_ns === null || daemon.clock_offset_ns === undefined) return 'not measured';
  const sign = daemon.clock_offset_ns < 0 ? '\u2212' : '+';
  return `${sign}${duration(Math.abs(daemon.clock_offset_ns))} ± ${duration(daemon.clock_error_ns)}`;
}
