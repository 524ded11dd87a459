// The state of the server: loaded over REST, updated by the live stream.

import { api, asProblem } from '../data/api';
import { follow } from '../data/stream';
import { hostsByAddress } from '../domain/flow';
import { type PortState, warm } from '../domain/heat';
import { counted, type Counts, LIVE_LIMIT, merged, shownCounts, withIncident } from '../domain/incidents';
import type { BothClocks } from '../domain/moments';
import { structureOf } from '../domain/structure';
import { staleSince } from '../domain/times';
import type { Incident, IncidentPage, Port, Topology } from '../domain/types';
import { now } from './now.svelte';

export type Connection = 'connecting' | 'live' | 'lost';

const SHOW_MS = 250;
/** A stream that has not opened by then, as behind a proxy that holds answers back, does not keep the page from loading. */
const OPEN_WAIT_MS = 2000;
/** Least time between two requests for the numbers of incidents. */
const COUNT_MS = 2000;

class Live {
  connection = $state<Connection>('connecting');
  topology = $state.raw<Topology | null>(null);
  incidents = $state.raw<Incident[] | null>(null);
  ports = $state.raw<Map<Port, PortState>>(new Map());
  /** Switch time of the latest sample or incident. */
  timeNs = $state<number | null>(null);
  /** A point in time by both clocks: that of a sample when everything was loaded. */
  sampled = $state.raw<BothClocks | null>(null);
  problem = $state.raw<{ title: string; detail: string } | null>(null);
  /** When the server was last heard, in milliseconds since 1970. */
  heardMs = $state<number | null>(null);
  #asleep = $state(false);
  #hasSamples = $state(false);
  /** The numbers of all incidents, if the server counts them. */
  #counted = $state.raw<Counts | null>(null);

  structure = $derived(this.topology ? structureOf(this.topology) : null);
  #peers = $derived(new Map((this.topology?.links ?? []).flatMap(({ a, b }): [Port, Port][] => [[a, b], [b, a]])));
  /** What each name of the topology is. */
  kinds = $derived(new Map((this.topology?.nodes ?? []).map(({ name, kind }) => [name, kind])));
  hosts = $derived(hostsByAddress(this.topology));
  #counts = $derived(shownCounts(this.#counted, this.incidents ?? []));
  ongoing = $derived(this.#counts.ongoing);
  ended = $derived(this.#counts.ended);
  /** The time of the data if it is outdated: the stream is lost or silent. */
  staleMs = $derived(
    staleSince(
      { heardMs: this.heardMs, isLost: this.connection === 'lost', hasSamples: this.#hasSamples, isAsleep: this.#asleep },
      now.ms,
    ),
  );

  /** The time up to which the data tells anything: now, or that of outdated data. */
  untilMs = $derived(this.staleMs ?? now.ms);
  /** The same by both clocks; switch time stands still while the data is outdated. */
  until = $derived({ ms: this.untilMs, ns: this.timeNs });

  /** Requests for everything that have no answer yet, and the incidents of events meanwhile, which may be newer. */
  #loads = 0;
  #meanwhile: Incident[] = [];
  #counting: ReturnType<typeof setTimeout> | undefined;
  #warmed = new Map<Port, PortState>();
  #latestNs: number | null = null;
  #pending: ReturnType<typeof setTimeout> | undefined;

  start(): () => void {
    const late = setTimeout(() => {
      if (this.connection !== 'live' && !this.#asleep) void this.load();
    }, OPEN_WAIT_MS);
    const stop = follow({
      open: () => {
        this.connection = 'live';
        this.#heard();
        this.#restart();
      },
      lost: () => {
        this.#asleep = false;
        this.connection = 'lost';
      },
      asleep: () => {
        this.#asleep = true;
      },
      incident: (incident) => {
        this.#heard();
        this.#recount();
        const before = this.incidents?.find((known) => known.id === incident.id);
        // One that is not in the list may be an older one, so only the server can count it.
        if (this.#counted && before) this.#counted = counted(this.#counted, before, incident);
        if (this.#loads > 0) this.#meanwhile.push(incident);
        // Until the list is loaded, one event is no list: an incident that it lacks would seem not to exist.
        if (this.incidents) this.incidents = withIncident(this.incidents, incident);
        this.#seen(incident.update_ns);
      },
      ports: (samples, timeNs) => {
        this.#heard();
        this.#hasSamples = true;
        // A tab that was shown again may follow another tab's connection.
        this.connection = 'live';
        this.#warmed = warm(this.#warmed, samples);
        this.#seen(timeNs);
      },
      topology: () => this.#restart(),
      missed: () => void this.load(),
    });
    return () => {
      clearTimeout(late);
      stop();
    };
  }

  /** Resets ports and time, because the network or the server has changed. */
  #restart() {
    this.#warmed = new Map();
    this.#latestNs = null;
    this.#hasSamples = false;
    void this.load();
  }

  #heard() {
    this.#asleep = false;
    // Often enough for people; every sample would redraw what depends on it.
    if (this.heardMs === null || Date.now() - this.heardMs > SHOW_MS) this.heardMs = Date.now();
  }

  /** Reloads everything; the old values are shown until the new ones are loaded. */
  async load() {
    this.#loads += 1;
    try {
      const [topology, page, ports] = await Promise.all([
        api.topology(),
        api.incidents(`limit=${LIVE_LIMIT}`),
        api.ports(),
      ]);
      const { incidents } = page;
      this.topology = topology;
      this.#count(page);
      this.incidents = merged(incidents, this.#meanwhile);
      this.#seen(Math.max(0, ...incidents.map((incident) => incident.update_ns), ...ports.map((p) => p.time_ns)));
      this.#warmed = warm(this.#warmed, ports);
      const sample = ports.find(({ time }) => time);
      this.sampled = sample ? { time: sample.time, ns: sample.time_ns } : null;
      this.#showPorts();
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    } finally {
      this.#loads -= 1;
      if (this.#loads === 0) this.#meanwhile = [];
    }
  }

  #count({ total, open_total }: IncidentPage) {
    this.#counted = total === undefined || open_total === undefined ? null : { total, open: open_total };
  }

  /** Requests the numbers of incidents again, as the list holds only the latest. */
  #recount() {
    if (!this.#counted) return;
    this.#counting ??= setTimeout(() => {
      this.#counting = undefined;
      api.incidents('limit=1').then(
        (page) => this.#count(page),
        () => {},
      );
    }, COUNT_MS);
  }

  peerOf = (port: Port): Port | undefined => this.#peers.get(port);

  /** Shows the latest samples, at most a few times a second. */
  #showPorts() {
    this.#pending ??= setTimeout(() => {
      this.#pending = undefined;
      this.ports = this.#warmed;
      this.timeNs = this.#latestNs;
    }, SHOW_MS);
  }

  #seen(timeNs: number) {
    if (timeNs > (this.#latestNs ?? 0)) this.#latestNs = timeNs;
    this.#showPorts();
  }
}

export const live = new Live();
