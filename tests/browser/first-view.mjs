// Measures the first view of the dashboard: what a browser without a cache transfers until the verdict is on screen, and when
// that is.
//
//   node first-view.mjs URL [RUNS]
//
// Waits for an incident first. Prints a row for each run: responses, bytes of their bodies as they were transferred
// (compressed, without the event stream), milliseconds to the first contentful paint and to the verdict with its first advice.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { STEP_WAIT_MS, until } from './page.mjs';

/** A browser without a cache. */
export async function withBrowser(work) {
  const profile = mkdtempSync(join(tmpdir(), 'harrier-first-view-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    viewport: { width: 1280, height: 800 },
  });
  try {
    return await work(browser);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

/** Opens the first page in a new browser; resolves to what was transferred until the verdict, and when it was on screen. */
export function firstView(base) {
  return withBrowser(async (browser) => {
    const page = await browser.newPage();
    const finished = [];
    page.on('requestfinished', (request) => finished.push(request));
    await page.goto(base);
    await page.locator('[data-testid=first-advice]').waitFor({ timeout: STEP_WAIT_MS });
    const { verdict, paint } = await page.evaluate(() => ({
      verdict: performance.now(),
      paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    }));
    const sizes = await Promise.all(finished.map(async (request) => (await request.sizes()).responseBodySize));
    return { responses: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0), paint_ms: paint, verdict_ms: verdict };
  });
}

async function main(base, runs) {
  await until('an incident', 90_000, async () => (await (await fetch(`${base}/api/v1/incidents`)).json()).incidents.length > 0);
  console.log('| responses | kB | first paint ms | verdict ms |\n|---|---|---|---|');
  for (let run = 0; run < runs; run += 1) {
    const { responses, bytes, paint_ms, verdict_ms } = await firstView(base);
    console.log(`| ${responses} | ${(bytes / 1000).toFixed(1)} | ${Math.round(paint_ms)} | ${Math.round(verdict_ms)} |`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [base, runs = '5'] = process.argv.slice(2);
  if (!base || !URL.canParse(base)) {
    console.error('usage: node first-view.mjs URL [RUNS]');
    process.exit(2);
  }
  await main(new URL(base).origin, Number(runs));
}
