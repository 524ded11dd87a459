// What the server knows now: loaded over REST, kept current by the live stream.

import { api, asProblem, follow } from '../data/api';
import { layFabric } from '../domain/fabric';
import { hostsByAddress } from '../domain/flow';
import { type PortState, warm } from '../domain/heat';
import { ordered, withIncident } from '../domain/incidents';
import type { Incident, Port, Topology } from '../domain/types';

export type Connection = 'connecting' | 'live' | 'lost';

class Live {
  connection = $state<Connection>('connecting');
  topology = $state.raw<Topology | null>(null);
  incidents = $state.raw<Incident[] | null>(null);
  ports = $state.raw<Map<Port, PortState>>(new Map());
  /** The fabric's clock at the latest sample or incident. */
  timeNs = $state<number | null>(null);
  problem = $state.raw<{ title: string; detail: string } | null>(null);

  fabric = $derived(this.topology ? layFabric(this.topology) : null);
  hosts = $derived(hostsByAddress(this.topology));
  ongoing = $derived(this.incidents?.filter((incident) => incident.end_ns === null).length ?? 0);

  start(): () => void {
    return follow({
      open: () => {
        this.connection = 'live';
        void this.load();
      },
      lost: () => {
        this.connection = 'lost';
      },
      incident: (incident) => {
        this.incidents = withIncident(this.incidents ?? [], incident);
        this.#seen(incident.update_ns);
      },
      ports: (samples) => {
        this.ports = warm(this.ports, samples);
        this.#seen(samples[0]?.time_ns ?? 0);
      },
      topology: () => void this.load(),
      missed: () => void this.load(),
    });
  }

  /** Loads everything again; what is shown stays until the new is there. */
  async load() {
    try {
      const [topology, incidents, ports] = await Promise.all([api.topology(), api.incidents(), api.ports()]);
      this.topology = topology;
      this.incidents = ordered(incidents);
      this.ports = warm(this.ports, ports);
      this.problem = null;
    } catch (error) {
      this.problem = asProblem(error);
    }
  }

  peerOf = (port: Port): Port | undefined => {
    const end = this.fabric?.byPort.get(port);
    return end && (end.atA ? end.link.b : end.link.a);
  };

  #seen(timeNs: number) {
    if (timeNs > (this.timeNs ?? 0)) this.timeNs = timeNs;
  }
}

export const live = new Live();
