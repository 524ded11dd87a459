// Follows the URL: plain clicks on links of the dashboard change the view without loading the page again.

import { parseRoute, type Route } from '../domain/route';

export { links } from '../domain/route';

class Router {
  route = $state.raw<Route>(parseRoute(new URL(location.href)));

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

  go(href: string, replace = false) {
    if (replace) history.replaceState(null, '', href);
    else history.pushState(null, '', href);
    const before = this.route.view;
    this.#read();
    if (before === this.route.view) return;
    scrollTo(0, 0);
  }

  #read() {
    this.route = parseRoute(new URL(location.href));
  }
}

export const router = new Router();
