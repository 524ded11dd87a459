// Text for numbers and names.

import type { Anomaly, Cause, Severity } from './types';

const ANOMALY_NAMES: Record<Anomaly, string> = {
  flow_contention: 'Flow contention',
  pfc_backpressure_flow_contention: 'PFC backpressure',
  pfc_storm_host_injection: 'Pause storm of a host',
  deadlock_in_loop_contention: 'Deadlock, initial congestion in the loop',
  deadlock_out_of_loop_contention: 'Deadlock, initial congestion out of the loop',
  deadlock_out_of_loop_injection: 'Deadlock, pause storm out of the loop',
  routing_loop: 'Forwarding loop',
  class_contention: 'Contention between traffic classes',
  packet_loss: 'Packet loss',
  path_change: 'Path change',
  self_inflicted: 'Queue of the victim itself',
  host_only: 'Host only: no anomaly in the network',
  undetermined: 'Undetermined',
};

// Words with capitals that the general rule would lose.
const WORDS: Record<string, string> = { ecmp: 'ECMP', nic: 'NIC', rnic: 'RNIC', qp: 'QP', gpu: 'GPU', n: 'N' };

/** The name of an anomaly. A value that is unknown to this build becomes plain words. */
export function anomalyName(anomaly: string): string {
  return ANOMALY_NAMES[anomaly as Anomaly] ?? words(anomaly);
}

// Causes whose names have hyphens.
const CAUSE_NAMES: Partial<Record<string, string>> = {
  low_rate_attack: 'Low-rate attack',
  intra_host_link: 'Intra-host link',
  go_back_n_waste: 'Go-back-N waste',
  gpu_co_location: 'GPU co-location',
  legitimately_network_bound: 'Legitimately network-bound',
  undetermined: 'Cause undetermined',
};

const LOSS_NAMES: Partial<Record<string, string>> = {
  headroom: 'headroom exhausted',
  lossy: 'lossy priority',
  watchdog: 'PFC watchdog',
  ttl: 'TTL expired',
  other: 'other reason',
};

/** Why packets were lost, e.g. `no route`. */
export function lossName(reason: string): string {
  return LOSS_NAMES[reason] ?? reason.replaceAll('_', ' ');
}

/** The name of a cause. */
export function causeName(cause: string): string {
  return CAUSE_NAMES[cause] ?? words(cause);
}

function words(name: string): string {
  const text = name
    .split('_')
    .map((word) => WORDS[word] ?? word)
    .join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Every name of the model, in the order of menus: a new one fails the type check until it is here. */
export const ANOMALIES = keys(ANOMALY_NAMES);
export const CAUSES = keys<Cause>({
  incast: true,
  elephant_collision: true,
  ecmp_imbalance: true,
  low_rate_attack: true,
  collective_step: true,
  nic_storm: true,
  slow_receiver: true,
  loopback_congestion: true,
  intra_host_link: true,
  noisy_tenant: true,
  rnic_workload: true,
  hidden_fence: true,
  congestion_leaking: true,
  go_back_n_waste: true,
  qp_cache_thrash: true,
  poll_gap: true,
  host_control_overhead: true,
  gpu_co_location: true,
  legitimately_network_bound: true,
  misconfiguration: true,
  undetermined: true,
});
export const SEVERITIES = keys<Severity>({ critical: true, major: true, minor: true, info: true });

function keys<T extends string>(all: Record<T, unknown>): readonly T[] {
  return Object.keys(all) as T[];
}

/**
 * A text of the analyzer, which writes in ASCII for terminals and logs: units and arrows as on the rest of a page. What
 * lasted "so far" when the switches were read may have ended since.
 */
export function readable(text: string): string {
  return text
    .replaceAll(/\bfor (\d[\d.]* \w+) so far\b/g, 'for at least $1')
    .replaceAll(/(\d) us\b/g, '$1 µs')
    .replaceAll(/\b\d{4,} bytes\b/g, (size) => bytes(Number.parseInt(size, 10)))
    .replaceAll(/\b1 (packet|byte|flow|frame)s\b/g, '1 $1')
    .replaceAll(' -> ', ' → ');
}

/** A text in its plain parts and those in backticks, which are names to type. */
export function codeParts(text: string): { text: string; isCode: boolean }[] {
  return text
    .split(/`([^`]+)`/)
    .map((part, index) => ({ text: part, isCode: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}

/** A text of the analyzer as a sentence of its own. A name at its start, like `sw1:2`, stays as it is. */
export function sentence(text: string): string {
  const plain = readable(text);
  return /^[a-z]+[ ,]/.test(plain) ? plain.charAt(0).toUpperCase() + plain.slice(1) : plain;
}

/** Switch times above this limit (the year 2001) are calendar time, others simulated time. */
export const CALENDAR_NS = 1e18;

/** Switch time: seconds of a simulation, or a date. */
export function clock(ns: number): string {
  if (ns >= CALENDAR_NS) return new Date(ns / 1e6).toISOString().replace('T', ' ').replace('Z', '');
  return `${(ns / 1e9).toFixed(6)} s`;
}

/** A duration in the unit that fits. */
export function duration(ns: number): string {
  return scaled(ns, [
    [1e9, 's'],
    [1e6, 'ms'],
    [1e3, 'µs'],
    [1, 'ns'],
  ]);
}

/** Bytes, in powers of 1000. */
export function bytes(count: number): string {
  return scaled(count, [
    [1e9, 'GB'],
    [1e6, 'MB'],
    [1e3, 'kB'],
    [1, 'B'],
  ]);
}

/** A rate in bits per second. */
export function rate(bps: number): string {
  return scaled(bps, [
    [1e9, 'Gb/s'],
    [1e6, 'Mb/s'],
    [1e3, 'kb/s'],
    [1, 'b/s'],
  ]);
}

/** A share of one as whole per cent; 0 % and 100 % are exact. */
export function percent(share: number): string {
  const clamped = Math.min(1, Math.max(0, share));
  if (clamped > 0 && clamped < 0.01) return '<1 %';
  if (clamped > 0.99 && clamped < 1) return '>99 %';
  return `${Math.round(clamped * 100)} %`;
}

/** A count with thin spaces between thousands. */
export function count(value: number): string {
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
}

/** A weight: three significant digits, a real minus sign. */
export function weight(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = size >= 1000 ? count(size) : Number(size.toFixed(digits)).toString();
  return value < 0 ? `\u2212${text}` : text;
}

/** "1 flow", "4 flows". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

function scaled(value: number, units: [number, string][]): string {
  if (value === 0) return `0 ${units.at(-1)?.[1] ?? ''}`;
  for (const [size, unit] of units) {
    if (Math.abs(value) >= size) {
      const number = value / size;
      const digits = size === 1 || number >= 100 ? 0 : number >= 10 ? 1 : 2;
      return `${Number(number.toFixed(digits))} ${unit}`;
    }
  }
  return `${value} ${units.at(-1)?.[1] ?? ''}`;
}

/** Compares names in natural order: `h2` before `h10`. */
export function natural(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true }) || (a < b ? -1 : a > b ? 1 : 0);
}
