// The live stream. A browser has one connection for all tabs, because HTTP/1.1 allows six to a server: the tab that
// holds a lock follows the stream and passes its events on to the others. Hidden tabs follow nothing; they reload when
// they are shown again. Without TLS on a host other than this one browsers have no locks: each tab connects itself.

import type { Incident, PortSample } from '../domain/types';
import { paths } from './api';

export interface StreamHandlers {
  /** The stream is connected or reconnected: data that was loaded before may be outdated. */
  open: () => void;
  /** The connection is lost; the browser reconnects. */
  lost: () => void;
  incident: (incident: Incident) => void;
  /** A batch of samples at a switch time. Ports that are idle as before have none. */
  ports: (samples: PortSample[], timeNs: number) => void;
  topology: () => void;
  /** Events were missed: all data must be reloaded. */
  missed: () => void;
  /** This tab follows nothing, because it is hidden. */
  asleep: () => void;
}

/** An event of the stream, as tabs pass it on. `state?` asks the leader whether it is connected. */
export type Message =
  | { kind: 'open' | 'lost' | 'topology' | 'missed' | 'state?' }
  | { kind: 'incident'; incident: Incident }
  | { kind: 'ports'; samples: PortSample[]; timeNs: number };

/** What the stream needs of the browser; tests replace it. */
export interface Surroundings {
  connect: (deliver: (message: Message) => void) => () => void;
  /** The channel between tabs, and the lock of the leader; null without locks. */
  tabs: {
    post: (message: Message) => void;
    listen: (deliver: (message: Message) => void) => () => void;
    /** Calls `lead` when this tab holds the lock, until the returned function is called. */
    campaign: (lead: () => () => void) => () => void;
  } | null;
  isHidden: () => boolean;
  onVisibility: (changed: () => void) => () => void;
}

/** Follows the live stream until the returned function is called. */
export function follow(handlers: StreamHandlers, around: Surroundings = browser()): () => void {
  const deliver = (message: Message) => dispatch(handlers, message);
  let stop: (() => void) | null = null;
  const changed = () => {
    if (around.isHidden() && stop) {
      stop();
      stop = null;
      handlers.asleep();
    } else if (!around.isHidden() && !stop) stop = followVisible(deliver, around);
  };
  const unlisten = around.onVisibility(changed);
  changed();
  return () => {
    unlisten();
    stop?.();
    stop = null;
  };
}

function dispatch(handlers: StreamHandlers, message: Message) {
  switch (message.kind) {
    case 'incident':
      return handlers.incident(message.incident);
    case 'ports':
      return handlers.ports(message.samples, message.timeNs);
    case 'state?':
      return;
    default:
      return handlers[message.kind]();
  }
}

function followVisible(deliver: (message: Message) => void, { connect, tabs }: Surroundings): () => void {
  if (!tabs) return connect(deliver);
  let isLeader = false;
  let state: 'open' | 'lost' | null = null;
  const unlisten = tabs.listen((message) => {
    if (message.kind !== 'state?') {
      if (!isLeader) deliver(message);
    } else if (isLeader && state) tabs.post({ kind: state });
  });
  const resign = tabs.campaign(() => {
    isLeader = true;
    const disconnect = connect((message) => {
      if (message.kind === 'open' || message.kind === 'lost') state = message.kind;
      tabs.post(message);
      deliver(message);
    });
    return () => {
      isLeader = false;
      disconnect();
    };
  });
  // A tab that opens later than the leader has missed the start of the stream.
  if (!isLeader) tabs.post({ kind: 'state?' });
  return () => {
    resign();
    unlisten();
  };
}

const RETRY_MS = 3000;
const NAME = 'harrier-events';

function browser(): Surroundings {
  return {
    connect: connectEvents,
    tabs: 'locks' in navigator && 'BroadcastChannel' in globalThis ? tabsOfBrowser() : null,
    isHidden: () => document.hidden,
    onVisibility: (changed) => {
      document.addEventListener('visibilitychange', changed);
      return () => document.removeEventListener('visibilitychange', changed);
    },
  };
}

function connectEvents(deliver: (message: Message) => void): () => void {
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const connect = () => {
    source = new EventSource(paths.events);
    const on = (kind: string, read: (data: never) => Message) =>
      source.addEventListener(kind, (event) => deliver(read(JSON.parse((event as MessageEvent<string>).data) as never)));
    on('hello', () => ({ kind: 'open' }));
    on('incident', (data: { incident: Incident }) => ({ kind: 'incident', incident: data.incident }));
    on('ports', ({ samples, time, time_ns }: { samples: PortSample[]; time?: string; time_ns?: number }) => {
      // A batch has one time: the samples of a network are taken together.
      if (time !== undefined) for (const sample of samples) sample.time = time;
      return { kind: 'ports', samples, timeNs: time_ns ?? samples[0]?.time_ns ?? 0 };
    });
    on('topology', () => ({ kind: 'topology' }));
    on('gap', () => ({ kind: 'missed' }));
    on('dropped', () => ({ kind: 'missed' }));
    source.onerror = () => {
      deliver({ kind: 'lost' });
      // An error response, e.g. at the limit of clients, ends the browser's own attempts to reconnect.
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  };
  connect();
  return () => {
    clearTimeout(retry);
    source.close();
  };
}

function tabsOfBrowser(): NonNullable<Surroundings['tabs']> {
  const channel = new BroadcastChannel(NAME);
  return {
    post: (message) => channel.postMessage(message),
    listen: (deliver) => {
      const hear = (event: MessageEvent<Message>) => deliver(event.data);
      channel.addEventListener('message', hear);
      return () => channel.removeEventListener('message', hear);
    },
    campaign: (lead) => {
      const abort = new AbortController();
      let release = () => abort.abort();
      const hold = () =>
        new Promise<void>((resolve) => {
          const end = lead();
          release = () => {
            end();
            resolve();
          };
        });
      void navigator.locks.request(NAME, { signal: abort.signal }, hold).catch(() => {});
      return () => release();
    },
  };
}
