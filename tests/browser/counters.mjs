// Opens every page with a verdict from the counters of an ordinary switch in headless Chromium: it has no victim, no graph
// and no snapshot.
//
//   npm ci && node counters.mjs HARRIER
//
// HARRIER is the binary. A redis-server has the counters of a switch with a storm, `harrier watch` uploads its verdict, and the
// pages are opened without an error. Exit status: 0 success, 1 a check failed, 2 the script could not run.

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';
import { check, checkAccessible, checkNarrow, failures } from './checks.mjs';
import { until } from './page.mjs';

const WAIT_MS = 60_000;
const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const DATABASES = { APPL_DB: '0', COUNTERS_DB: '2', CONFIG_DB: '4', FLEX_COUNTER_DB: '5', STATE_DB: '6' };
/** The switch whose port a host pauses in this scenario. */
const [SCENARIO, SWITCH, ROOT_PORT, ROOT_HOST] = ['host-storm', 'sw4', 'sw4:1', 'h3'];

const [binary] = process.argv.slice(2);
if (!binary) {
  console.error('usage: node counters.mjs HARRIER');
  process.exit(2);
}

const children = [];

function start(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

/** Waits for a line of a stream, and returns what the pattern finds. */
async function line(stream, pattern) {
  for await (const text of createInterface({ input: stream })) {
    const found = pattern.exec(text);
    if (found) {
      stream.resume();
      return found[1] ?? text;
    }
  }
  throw new Error(`no line ${pattern}`);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

/** Writes a reading to the Redis server, each database in one transaction. */
function load(port, folder) {
  const commands = Object.entries(DATABASES).flatMap(([name, number]) => {
    const dump = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const hashes = Object.entries(dump).map(([key, { value }]) => ['HSET', key, ...Object.entries(value).flat()]);
    return [['SELECT', number], ['MULTI'], ...hashes, ['EXEC']];
  });
  const encode = (words) => `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write([...commands, ['QUIT']].map(encode).join('')));
    socket.on('data', () => {}).on('error', reject).on('close', resolve);
  });
}

async function checkPages(browser, address, incident) {
  const page = await browser.newPage({ baseURL: address });
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(`${page.url()}: ${message.text()}`));
  page.on('pageerror', (error) => errors.push(`${page.url()}: ${error.message}`));
  const pages = {
    incident: `/incidents/${incident.id}`,
    diagnosis: `/diagnoses/${incident.diagnosis}`,
    overview: `/?incident=${incident.id}`,
    history: '/history',
    events: '/events',
    daemons: '/daemons',
    port: `/ports/${ROOT_PORT}`,
    host: `/hosts/${ROOT_HOST}`,
  };
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(path);
    await page.locator('main, article').first().waitFor({ timeout: WAIT_MS });
    if (name === 'incident' || name === 'diagnosis') {
      await page.locator('[data-testid=evidence]').first().waitFor({ timeout: WAIT_MS });
      const chip = await page.locator('[data-testid=counters]').textContent();
      check(`${name}: the source is shown`, /^counters read by w1, interval /.test(chip), true);
      check(`${name}: the root port`, await page.locator('[data-testid=root-port]').textContent(), ROOT_PORT);
      check(`${name}: no link to telemetry`, await page.getByRole('link', { name: 'telemetry' }).count(), 0);
    }
    if (name === 'daemons') await page.locator('[data-testid=daemon][data-name="watcher/w1"]').waitFor({ timeout: WAIT_MS });
    check(`${name}: panels that cannot be shown`, await page.getByText('This panel cannot be shown').count(), 0);
    await checkNarrow(page, name);
    await checkAccessible(page, name);
    await page.screenshot({ path: join(ARTIFACTS, `counters-${name}.png`), fullPage: true });
  }
  check('errors on the console', errors, []);
}

async function main() {
  if (spawnSync('redis-server', ['--version']).status !== 0) throw new Error('there is no redis-server; run scripts/setup.sh');
  const work = mkdtempSync(join(tmpdir(), 'harrier-counters-'));
  mkdirSync(ARTIFACTS, { recursive: true });
  try {
    spawnSync(binary, ['run', SCENARIO, '--save-counters', join(work, 'counted'), '--save-snapshots', work], { stdio: 'ignore' });
    const folder = join(work, 'counted', SWITCH);
    const readings = readdirSync(folder).sort().map((name) => join(folder, name));
    const port = await freePort();
    const redis = start('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', work]);
    await line(redis.stdout, /Ready to accept connections/);
    await load(port, readings[0]);
    const server = start(binary, ['serve', '--listen', '127.0.0.1:0', '--upload-listen', '127.0.0.1:0', '--store', join(work, 'harrier.db'), '--topology', join(work, 'topology.json')]);
    server.stderr.resume();
    const lines = createInterface({ input: server.stdout })[Symbol.asyncIterator]();
    const address = `http://${(await lines.next()).value.replace('listening on ', '')}`;
    const uploads = (await lines.next()).value.replace('uploads on ', '');
    const options = ['--name', 'w1', '--server', uploads, '--spool', join(work, 'spool'), '--interval', '300ms'];
    const watch = start(binary, ['watch', ...options, `sonic://127.0.0.1:${port}`]);
    watch.stdout.resume();
    await line(watch.stderr, /ports are read/);
    await load(port, readings.at(-1));
    const incident = await until('an incident', WAIT_MS, async () => {
      const { incidents } = await (await fetch(`${address}/api/v1/incidents`)).json();
      return incidents.find(({ root_cause }) => root_cause.port === ROOT_PORT);
    });
    const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
    try {
      await checkPages(browser, address, incident);
    } finally {
      await browser.close();
    }
  } finally {
    for (const child of children) child.kill('SIGKILL');
    rmSync(work, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  console.error(error);
  process.exit(2);
}
failures.forEach((failure) => console.error(`failed  ${failure}`));
process.exit(failures.length > 0 ? 1 : 0);
