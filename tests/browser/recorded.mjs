// A server of the built dashboard with recorded answers of REST, and a browser whose pages look the same every time.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

/** What layout.mjs has recorded. */
export const LAYOUT = join(import.meta.dirname, 'layout');
const DIST = join(import.meta.dirname, '../../web/ui/dist');
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.woff2': 'font/woff2' };

/** A stream that has begun and has no events yet. */
const HELLO = 'event: hello\ndata: {"last_id":"recorded-1"}\nid: recorded-1\n\n';

/** A recording: `{ incident, port, host, flow, answers }`, the answers by path and query. */
export const recording = (name) => JSON.parse(readFileSync(join(LAYOUT, `${name}.json`), 'utf8'));

/**
 * Starts a server of the dashboard and these answers; returns it with its address. `problem` answers every other request
 * of REST [default: not found]; `stream` is what the event stream says, null for a stream that never answers.
 */
export async function serve(answers, { problem, stream = HELLO } = {}) {
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://recorded');
    if (url.pathname === '/api/v1/events') {
      if (stream !== null) response.writeHead(200, { 'content-type': 'text/event-stream' }).write(stream);
      return;
    }
    if (url.pathname.startsWith('/api/')) {
      const answer = answers[url.pathname + url.search] ?? answers[url.pathname];
      const unknown = problem ?? { type: '/problems/not-found', title: 'Not found', status: 404, detail: url.pathname };
      response.writeHead(answer ? 200 : unknown.status, { 'content-type': answer ? 'application/json' : 'application/problem+json' });
      response.end(JSON.stringify(answer ?? unknown));
      return;
    }
    const file = join(DIST, url.pathname);
    const found = url.pathname !== '/' && extname(file) !== '' && existsSync(file) ? file : join(DIST, 'index.html');
    response.writeHead(200, { 'content-type': TYPES[extname(found)] ?? 'application/octet-stream' });
    response.end(readFileSync(found));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { stop, base: `http://127.0.0.1:${server.address().port}` };
}

/** Calls `use` with a page of a fresh browser. */
export async function withPage(use) {
  const profile = mkdtempSync(join(tmpdir(), 'harrier-recorded-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--force-device-scale-factor=1', '--hide-scrollbars'],
    viewport: { width: 1280, height: 900 },
    colorScheme: 'dark',
    locale: 'en-GB',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
  try {
    return await use(browser.pages()[0] ?? (await browser.newPage()));
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}
