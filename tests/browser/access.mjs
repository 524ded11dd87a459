// Tests the page of tokens and the series of a port and a flow in headless Chromium.
//
//   npm ci && HARRIER_TOKEN=TOKEN node access.mjs URL DEMO
//
// URL is a server with tokens, TOKEN that of an admin; DEMO is a server with samples and an incident that needs no token,
// e.g. `harrier demo`. Screenshots are written to artifacts/. Exit status: 0 success, 1 a check failed, 2 the script could
// not run.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { check, checkAccessible, checkView, failures, rest, SIZES } from './checks.mjs';
import { STEP_WAIT_MS, until } from './page.mjs';

const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const NAME = 'browser-test';

const names = async (page) => (await rest(page, `${base}/api/v1/tokens`)).tokens.map((token) => token.name);

async function checkTokens(page) {
  const before = await names(page);
  await page.goto(`${base}/access`);
  await page.getByLabel('Name').fill(NAME);
  await page.getByLabel('Role').selectOption('operator');
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = page.locator('[data-testid=secret]');
  await secret.waitFor({ timeout: STEP_WAIT_MS });
  check('a secret is shown', /^hrr_[0-9a-f]{64}$/.test(await secret.locator('code').innerText()), true);
  await page.locator(`[data-testid=token][data-name=${NAME}]`).waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'access', join(ARTIFACTS, 'access.png'));
  await page.reload();
  const row = page.locator(`[data-testid=token][data-name=${NAME}]`);
  await row.waitFor({ timeout: STEP_WAIT_MS });
  check('no secret after a reload', await page.getByText('hrr_').count(), 0);

  await page.getByLabel('Name').fill(NAME);
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByRole('alert').getByText('has a token already').waitFor({ timeout: STEP_WAIT_MS });
  await row.getByRole('button').click();
  check('one click does not revoke', (await names(page)).includes(NAME), true);
  await row.getByRole('button', { name: `Revoke ${NAME}` }).click();
  await row.waitFor({ state: 'detached', timeout: STEP_WAIT_MS });
  check('the token is gone', await names(page), before);
}

/** The page on which a person enters a token; its colours are those of the browser. */
async function checkLogIn(page) {
  await page.goto(`${base}/login`);
  const before = page.viewportSize();
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await checkAccessible(page, `login, ${size.width} px, ${colorScheme}`);
    }
  }
  await page.setViewportSize(before);
}

/** Selects ranges of the page that is shown, and leaves it with 15 minutes. */
async function checkRanges(page, what) {
  for (const [name, resolution] of [['15 min', 'second'], ['24 h', 'minute']]) {
    const button = page.getByRole('button', { name, exact: true });
    await button.click();
    await page.getByText(`wall clock, by the ${resolution}`).waitFor({ timeout: STEP_WAIT_MS });
    await page.locator('.chart canvas').first().waitFor({ timeout: STEP_WAIT_MS });
    check(`${what}: ${name} is selected`, await button.getAttribute('aria-pressed'), 'true');
  }
  await page.getByRole('button', { name: '15 min', exact: true }).click();
  await page.locator('.chart canvas').first().waitFor({ timeout: STEP_WAIT_MS });
}

async function checkPortSeries(page) {
  const { ports } = await rest(page, `${demo}/api/v1/ports`);
  await page.goto(`${demo}/ports/${encodeURIComponent(ports[0].port)}`);
  await checkRanges(page, 'port');
  await checkView(page, 'port series', join(ARTIFACTS, 'series.png'));
}

/** The page of a victim, which a verdict links to, has what REST has of it. */
async function checkFlowSeries(page) {
  const incident = await until('an incident with a victim', STEP_WAIT_MS, async () => {
    const { incidents } = await rest(page, `${demo}/api/v1/incidents`);
    return incidents.find(({ victims }) => victims.length > 0);
  });
  const [flow] = incident.victims;
  await page.goto(`${demo}/incidents/${encodeURIComponent(incident.id)}`);
  const link = page.locator(`a[href="/flows/${encodeURIComponent(flow)}"]`).first();
  await link.waitFor({ timeout: STEP_WAIT_MS });
  await link.click();
  await page.waitForURL(`**/flows/${encodeURIComponent(flow)}`);
  await page.locator('.chart canvas').first().waitFor({ timeout: STEP_WAIT_MS });
  const series = await rest(page, `${demo}/api/v1/flows/${encodeURIComponent(flow)}/series`);
  check('flow: it has records', series.epochs.length > 0, true);
  const panels = [...(series.epochs.length > 0 ? ['Rate', 'Paused'] : []), ...(series.round_trips.length > 0 ? ['Round trip'] : [])];
  const shown = await page.locator('[data-testid=flow-page] .panel:has(.chart) h2').allTextContents();
  check('flow: a chart of each quantity', shown.map((name) => (name === 'Packets' ? 'Rate' : name)), panels);
  await page.locator(`[data-testid=incident-rows] a[href="/incidents/${encodeURIComponent(incident.id)}"]`).waitFor({ timeout: STEP_WAIT_MS });
  await page.screenshot({ path: join(ARTIFACTS, 'flow-now.png') });
  await checkRanges(page, 'flow');
  await checkView(page, 'flow series', join(ARTIFACTS, 'flow.png'));
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: join(ARTIFACTS, 'flow-390.png'), fullPage: true });
}

const [base, demo] = process.argv.slice(2);
if (!URL.canParse(base) || !URL.canParse(demo)) {
  console.error('usage: HARRIER_TOKEN=TOKEN node access.mjs URL DEMO');
  process.exit(2);
}
mkdirSync(ARTIFACTS, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'harrier-access-'));
const token = process.env.HARRIER_TOKEN;
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  viewport: { width: 1280, height: 800 },
  colorScheme: 'dark',
  ...(token ? { extraHTTPHeaders: { authorization: `Bearer ${token}` } } : {}),
});
try {
  const page = browser.pages()[0] ?? (await browser.newPage());
  page.on('pageerror', (error) => failures.push(`page error: ${error.message}`));
  await checkTokens(page);
  await checkLogIn(page);
  await checkPortSeries(page);
  await checkFlowSeries(page);
} catch (error) {
  failures.push(String(error));
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
