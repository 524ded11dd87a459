// Follows the URL: plain clicks on links of the dashboard change the view without loading the page again.

import { parseRoute, type Route, showsTable, withTable } from '../domain/route';

export { links } from '../domain/route';

class Router {
  route = $state.raw<Route>(parseRoute(new URL(location.href)));
  /** The network is shown as a table. */
  asTable = $state(showsTable(new URL(location.href)));

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

  /** Shows a view. One with a map keeps the choice between map and table. */
  go(to: string, replace = false) {
    const href = this.asTable ? withTable(to) : to;
    if (replace) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    const before = this.route.view;
    this.#read();
    if (before === this.route.view) return;
    scrollTo(0, 0);
  }

  /** Shows the network as a table, or as a map. */
  showTable(asTable: boolean) {
    const url = new URL(location.href);
    if (asTable) url.searchParams.set('network', 'table');
    else url.searchParams.delete('network');
    history.replaceState(null, '', url);
    this.#read();
  }

  #read() {
    const url = new URL(location.href);
    this.route = parseRoute(url);
    this.asTable = showsTable(url);
  }
}

export const router = new Router();
