import { describe, expect, test } from 'vitest';
import { follow, type Message, type StreamHandlers, type Surroundings } from './stream';

/** A browser with tabs, one lock and a count of connections. */
function browserOf(hasLocks = true) {
  const listeners = new Set<(message: Message) => void>();
  const waiting: (() => () => void)[] = [];
  const connections = new Set<(message: Message) => void>();
  let holder: { lead: () => () => void; end: () => void } | null = null;
  const grant = () => {
    const lead = waiting.shift();
    holder = lead ? { lead, end: lead() } : null;
  };
  const tab = () => {
    let hidden = false;
    let changed = () => {};
    const own = new Set<(message: Message) => void>();
    const around: Surroundings = {
      connect: (deliver) => {
        connections.add(deliver);
        return () => connections.delete(deliver);
      },
      tabs: hasLocks
        ? {
            // A channel does not deliver to the tab that posts.
            post: (message) => listeners.forEach((deliver) => own.has(deliver) || deliver(message)),
            listen: (deliver) => {
              own.add(deliver);
              listeners.add(deliver);
              return () => listeners.delete(deliver);
            },
            campaign: (lead) => {
              waiting.push(lead);
              if (!holder) grant();
              return () => {
                if (holder?.lead === lead) {
                  holder.end();
                  grant();
                } else waiting.splice(waiting.indexOf(lead), 1);
              };
            },
          }
        : null,
      isHidden: () => hidden,
      onVisibility: (listener) => {
        changed = listener;
        return () => (changed = () => {});
      },
    };
    const heard: string[] = [];
    const handlers = Object.fromEntries(
      ['open', 'lost', 'incident', 'ports', 'topology', 'missed', 'asleep'].map((kind) => [kind, () => heard.push(kind)]),
    ) as unknown as StreamHandlers;
    const close = follow(handlers, around);
    const hide = (value: boolean) => {
      hidden = value;
      changed();
    };
    return { heard, close, hide };
  };
  const send = (message: Message) => connections.forEach((deliver) => deliver(message));
  return { tab, send, connections };
}

const ports: Message = { kind: 'ports', samples: [], timeNs: 0 };

describe('stream', () => {
  test('tabs share one connection, and all get its events', () => {
    const browser = browserOf();
    const [first, second] = [browser.tab(), browser.tab()];
    expect(browser.connections.size).toBe(1);
    browser.send({ kind: 'open' });
    browser.send(ports);
    expect([first.heard, second.heard]).toEqual([['open', 'ports'], ['open', 'ports']]);
  });

  test('a tab that opens later learns that the stream is connected', () => {
    const browser = browserOf();
    browser.tab();
    browser.send({ kind: 'open' });
    const late = browser.tab();
    expect(late.heard).toEqual(['open']);
  });

  test('another tab takes over when the leader is closed', () => {
    const browser = browserOf();
    const [first, second] = [browser.tab(), browser.tab()];
    first.close();
    expect(browser.connections.size).toBe(1);
    browser.send(ports);
    expect([first.heard, second.heard]).toEqual([[], ['ports']]);
  });

  test('a hidden tab has no connection, and connects again when it is shown', () => {
    const browser = browserOf();
    const only = browser.tab();
    only.hide(true);
    expect(browser.connections.size).toBe(0);
    only.hide(false);
    expect(browser.connections.size).toBe(1);
    browser.send({ kind: 'open' });
    expect(only.heard).toEqual(['asleep', 'open']);
  });

  test('without locks each tab has its own connection', () => {
    const browser = browserOf(false);
    const tabs = [browser.tab(), browser.tab()];
    expect(browser.connections.size).toBe(2);
    tabs[0]?.close();
    browser.send(ports);
    expect(tabs.map((tab) => tab.heard)).toEqual([[], ['ports']]);
  });
});
