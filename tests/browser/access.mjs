// Tests the pages of tokens and of a port's series in headless Chromium, on a server that has tokens and samples.
//
//   npm ci && HARRIER_TOKEN=TOKEN node access.mjs URL PORT
//
// TOKEN is that of an admin, or empty on a server that needs none, e.g. that of `cargo run -p harrier-web --example dashboard`
// with the port `sw4:2`. Screenshots are written to artifacts/. Exit status: 0
// success, 1 a check failed, 2 the script could not run.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { check, checkView, failures, rest } from './checks.mjs';
import { STEP_WAIT_MS } from './page.mjs';

const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const NAME = 'browser-test';

const names = async (page) => (await rest(page, '/api/v1/tokens')).tokens.map((token) => token.name);

async function checkTokens(page) {
  const before = await names(page);
  await page.goto('/access');
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

async function checkSeries(page, port) {
  await page.goto(`/ports/${encodeURIComponent(port)}`);
  for (const [name, resolution] of [['15 min', 'second'], ['24 h', 'minute']]) {
    const button = page.getByRole('button', { name, exact: true });
    await button.click();
    await page.getByText(`wall clock, by the ${resolution}`).waitFor({ timeout: STEP_WAIT_MS });
    await page.locator('.chart canvas').first().waitFor({ timeout: STEP_WAIT_MS });
    check(`${name} is selected`, await button.getAttribute('aria-pressed'), 'true');
  }
  await page.getByRole('button', { name: '15 min', exact: true }).click();
  await page.locator('.chart canvas').first().waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'port series', join(ARTIFACTS, 'series.png'));
}

const [base, port] = process.argv.slice(2);
if (!base || !URL.canParse(base) || !port) {
  console.error('usage: [HARRIER_TOKEN=TOKEN] node access.mjs URL PORT');
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
  baseURL: base,
  ...(token ? { extraHTTPHeaders: { authorization: `Bearer ${token}` } } : {}),
});
try {
  const page = browser.pages()[0] ?? (await browser.newPage());
  page.on('pageerror', (error) => failures.push(`page error: ${error.message}`));
  await checkTokens(page);
  await checkSeries(page, port);
} catch (error) {
  failures.push(String(error));
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
