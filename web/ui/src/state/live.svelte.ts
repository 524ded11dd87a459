// The state of the server: loaded over REST, updated by the live stream.

import { api, asProblem, follow } from '../data/api';
import { layFabric } from '../domain/fabric';
import { hostsByAddress } from '../domain/flow';
import { type PortState, warm } from '../domain/heat';
import { ordered, withIncident } from '../domain/incidents';
import type { Incident, Port, Topology } from '../domain/types';

export type Connection = 'connecting' | 'live' | 'lost';

const SHOW_MS = 250;

class Live {
  connection = $state<Connection>('connecting');
  topology = $state.raw<Topology | null>(null);
  incidents = $state.raw<Incident[] | null>(null);
  ports = $state.raw<Map<Port, PortState>>(new Map());
  /** Switch time of the latest sample or incident. */
  timeNs = $state<number | null>(null);
  problem = $state.raw<{ title: string; detail: string } | null>(null);

  fabric = $derived(this.topology ? layFabric(this.topology) : null);
  hosts = $derived(hostsByAddress(this.topology));
  ongoing = $derived(this.incidents?.filter((incident) => incident.end_ns === null).length ?? 0);

  #warmed = new Map<Port, PortState>();
  #latestNs: number | null = null;
  #pending: ReturnType<typeof setTimeout> | undefined;

  start(): () => void {
    return follow({
      open: () => {
        this.connection = 'live';
        this.#restart();
      },
      lost: () => {
        this.connection = 'lost';
      },
      incident: (incident) => {
        this.incidents = withIncident(this.incidents ?? [], incident);
        this.#seen(incident.update_ns);
      },
      ports: (samples) => {
        this.#warmed = warm(this.#warmed, samples);
        this.#seen(samples[0]?.time_ns ?? 0);
      },
      topology: () => this.#restart(),
      missed: () => void this.load(),
    });
  }

  /** Resets ports and time, because the network or the server has changed. */
  #restart() {
    this.#warmed = new Map();
    this.#latestNs = null;
    void this.load();
  }

  /** Reloads everything; the old values are shown until the new ones are loaded. */
  async load() {
    try {
      const [topology, incidents, ports] = await Promise.all([api.topology(), api.incidents(), api.ports()]);
      this.topology = topology;
      this.incidents = ordered(incidents);
      this.#seen(Math.max(0, ...incidents.map((incident) => incident.update_ns), ...ports.map((p) => p.time_ns)));
      this.#warmed = warm(this.#warmed, ports);
      this.#showPorts();
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
  }

  peerOf = (port: Port): Port | undefined => {
    const end = this.fabric?.byPort.get(port);
    return end && (end.atA ? end.link.b : end.link.a);
  };

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
