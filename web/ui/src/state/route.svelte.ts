// Follows the URL: plain clicks on links of the dashboard change the view without loading the page again.

import type { LinkMeasure } from '../domain/linkMeasure';
import { type NetworkSettings, networkSettings, parseRoute, type Route, setNetwork, withNetwork } from '../domain/route';

export { links } from '../domain/route';

class Router {
  route = $state.raw<Route>(parseRoute(new URL(location.href)));
  /** How the network is shown. */
  network = $state.raw<NetworkSettings>(networkSettings(new URL(location.href)));

  constructor() {
    addEventListener('popstate', () => this.#read());
    // Plain clicks on links of the dashboard change the view; the browser handles all others.
    addEventListener('click', (event) => {
      if (event.defaultPrevented || event.button !== 0) return;
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      const anchor = (event.target as Element | null)?.closest?.('a');
      const href = anchor?.getAttribute('href');
      if (!anchor || !href?.startsWith('/') || href.startsWith('/api/') || anchor.hasAttribute('target')) return;
      event.preventDefault();
      this.go(href);
    });
  }

  /** Shows a view. One with the network keeps how it is shown. */
  go(to: string, replace = false) {
    const href = withNetwork(to, this.network);
    if (replace) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    const before = this.route.view;
    this.#read();
    if (before === this.route.view) return;
    scrollTo(0, 0);
  }

  /** Shows the network as a table, or as a map. */
  showTable(asTable: boolean) {
    this.#showNetwork({ ...this.network, asTable });
  }

  /** Colours the links of the map by a measure. */
  showMeasure(measure: LinkMeasure) {
    this.#showNetwork({ ...this.network, measure });
  }

  #showNetwork(settings: NetworkSettings) {
    const url = new URL(location.href);
    setNetwork(url, settings);
    history.replaceState(null, '', url);
    this.#read();
  }

  #read() {
    const url = new URL(location.href);
    this.route = parseRoute(url);
    this.network = networkSettings(url);
  }
}

export const router = new Router();
