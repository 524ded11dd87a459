// A screenshot of the dashboard with an incident.
//
//   npm ci && node picture.mjs URL FILE.png
//
// Waits until the page shows an incident, the map of the fabric and the busiest ports.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const WAIT_MS = 120_000;
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const [url, file] = process.argv.slice(2);
if (!url || !file) {
  console.error('usage: node picture.mjs URL FILE.png');
  process.exit(2);
}
const profile = mkdtempSync(join(tmpdir(), 'harrier-picture-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  headless: true,
  args: FLAGS,
  viewport: { width: 1440, height: 900 },
});
try {
  const page = browser.pages()[0] ?? (await browser.newPage());
  await page.goto(url);
  for (const part of ['incident', 'verdict', 'fabric']) {
    await page.locator(`[data-testid=${part}]`).first().waitFor({ timeout: WAIT_MS });
  }
  // The ports follow with the next reading of the counters.
  await page.locator('a[href^="/ports/"]').first().waitFor({ timeout: 20_000 }).catch(() => {});
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: file });
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
