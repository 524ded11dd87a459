// Opens the incident page of every built-in scenario in headless Chromium.
//
//   npm ci && node scenarios.mjs HARRIER [NAME...]
//
// HARRIER is the binary. For each scenario it runs a demo until the first incident, and checks that the page opens
// without an error and is not wider than the screen, that the map has everything inside its frame, that the victim's line meets the pause path, that the
// named culprit is that of the diagnosis, that the first page has culprit, next step and losses, and that the incident
// does not end while a port of its path or loop is paused, and ends afterwards. A scenario without a verdict must have no
// incident. In `link-flap`, whose outage recurs and is followed by contention, the first page stays at the outage, a replay
// keeps its diagnosis, and a recurrence is no continuation.
// Exit status: 0 success, 1 a check failed, 2 the script could not run.

import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { pausesThatDiffer, until } from './page.mjs';

const START_WAIT_MS = 90_000;
const PAGE_WAIT_MS = 30_000;
/** Demos at a time: two cores. */
const AT_ONCE = 2;
/** Simulated microseconds per second: faster than the default. */
const PACE_US = 8_000;
const ARTIFACTS = join(import.meta.dirname, 'artifacts');

const failures = [];
const [binary, ...wanted] = process.argv.slice(2);
if (!binary) {
  console.error('usage: node scenarios.mjs HARRIER [NAME...]');
  process.exit(2);
}

function check(scenario, what, actual, expected) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) failures.push(`${scenario}: ${what}: is ${a}, expected ${b}`);
}

/** Starts a demo; resolves to its process and address. */
async function demo(scenario) {
  const child = spawn(binary, ['demo', '--scenario', scenario, '--listen', '127.0.0.1:0', '--pace', String(PACE_US)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines = createInterface({ input: child.stderr });
  const said = [];
  for await (const line of lines) {
    said.push(line);
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (address) return { child, address };
  }
  throw new Error(`the demo of ${scenario} ended before it was ready:\n${said.join('\n')}`);
}

async function get(address, path) {
  const response = await fetch(address + path);
  if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
  return response.json();
}

/** What of the map lies outside its frame. */
const outside = (page) =>
  page.locator('[data-testid=fabric]').evaluate((svg) => {
    const frame = svg.viewBox.baseVal;
    const parts = [...svg.querySelectorAll('[data-testid=link], [data-testid=trace], .nodes > g, .marks > g')];
    return parts
      .filter((part) => {
        const { x, y, width, height } = part.getBBox();
        const move = part.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
        const [left, top] = [x + move.e, y + move.f];
        return left < 0 || top < 0 || left + width > frame.width || top + height > frame.height;
      })
      .map((part) => part.dataset.port ?? part.textContent?.trim().slice(0, 40) ?? part.tagName);
  });

/** What the page says, read at once: the page changes when the incident gets another diagnosis. */
const verdict = () => ({
  diagnosis: [...document.querySelectorAll('a')].find((link) => link.textContent.startsWith('diagnosis')).getAttribute('href'),
  flows: [...document.querySelectorAll('[data-testid=culprit] [data-flow]')].map((flow) => flow.dataset.flow),
  config: [...document.querySelectorAll('[data-testid=root-config]')].map((finding) => finding.textContent),
  crossed: [...document.querySelectorAll('[data-testid=trace]:is([data-role=victim], [data-role=acks])')].map((trace) => trace.dataset.port),
});

/** Widths of screens: a laptop and a phone. */
const WIDTHS = [1280, 390];

/** Nothing of the page that is shown leaves the screen sideways, with all its details opened. */
async function checkWidths(page, scenario) {
  const before = page.viewportSize();
  await page.evaluate(() => {
    for (const details of document.querySelectorAll('main details')) details.open = true;
  });
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: before.height });
    const excess = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
    check(scenario, `pixels beyond a screen of ${width}`, excess, 0);
  }
  await page.setViewportSize(before);
}

async function checkPage(browser, scenario, address, incident) {
  const page = await browser.newPage();
  try {
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    page.on('pageerror', (error) => errors.push(error.message));
    await page.goto(`${address}/incidents/${encodeURIComponent(incident.id)}`);
    await page.locator('[data-testid=evidence]').first().waitFor({ timeout: PAGE_WAIT_MS });
    await page.locator('[data-testid=fabric]').waitFor({ timeout: PAGE_WAIT_MS });
    const shown = await page.evaluate(verdict);
    const diagnosis = await get(address, shown.diagnosis);
    const root = diagnosis.root_cause;
    check(scenario, 'culprit flows', shown.flows, root.flows);
    check(scenario, 'configuration', shown.config, root.config);
    check(scenario, 'panels that cannot be shown', await page.getByText('This panel cannot be shown').count(), 0);
    check(scenario, 'pauses that differ between chart and path', await page.evaluate(pausesThatDiffer), []);
    check(scenario, 'outside the map', await outside(page), []);
    const first = diagnosis.pause_path[0];
    if (first !== undefined) {
      const { links } = await get(address, '/api/v1/topology');
      const link = links.find(({ a, b }) => a === first || b === first);
      const { crossed } = shown;
      const meets = crossed.includes(link?.a) || crossed.includes(link?.b);
      if (!meets) failures.push(`${scenario}: the victim's line (${crossed}) does not meet the pause path (${diagnosis.pause_path})`);
    }
    await page.screenshot({ path: join(ARTIFACTS, `scenario-${scenario}.png`), fullPage: true });
    await checkWidths(page, scenario);
    await page.goto(`${address}/?incident=${encodeURIComponent(incident.id)}`);
    await page.locator('[data-testid=verdict]').waitFor({ timeout: PAGE_WAIT_MS });
    if (root.config.length > 0) {
      await page.locator('[data-testid=culprit-config]').first().waitFor({ timeout: PAGE_WAIT_MS });
    }
    check(scenario, 'errors on the console', errors, []);
  } finally {
    await page.close();
  }
}

/** Anomalies that are more than queues and pauses, and losses that queues and pauses do not cause. */
const BEYOND_BUFFERS = ['routing_loop', 'packet_loss', 'path_change', 'host_only', 'undetermined'];
const OTHER_LOSSES = ['no_route', 'ttl', 'link_down', 'corrupted'];

/** The packets that the records of a diagnosis show as lost because of its anomaly. */
function lostOf(diagnosis) {
  const isOwn = ({ kind, reason }) => kind === 'loss' && (BEYOND_BUFFERS.includes(diagnosis.anomaly) || !OTHER_LOSSES.includes(reason));
  const records = diagnosis.evidence.flatMap(({ records }) => records.filter(isOwn));
  const distinct = new Map(records.map((record) => [JSON.stringify(record), record.packets]));
  return [...distinct.values()].reduce((sum, packets) => sum + packets, 0);
}

/** What the first page shows, read at once when all is there; null before. */
const firstView = () => {
  const [verdict, advice] = ['verdict', 'first-advice'].map((name) => document.querySelector(`[data-testid=${name}]`));
  const selected = document.querySelector('[data-testid=incident][aria-current=true]');
  if (!verdict || !advice || !selected) return null;
  return {
    selected: new URL(selected.href).searchParams.get('incident'),
    verdict: verdict.textContent,
    advice: advice.textContent,
    costs: [...document.querySelectorAll('[data-testid=costs]')].map((cost) => cost.textContent).join('; '),
    below: Math.max(verdict.getBoundingClientRect().bottom, advice.getBoundingClientRect().bottom) - innerHeight,
  };
};

/**
 * What a person sees first: the page of the address alone names culprit and next step of the foremost incident.
 *
 * An incident may get another diagnosis, with more flows in its headline, between a look at the page and one at the server.
 * The page follows it, so the two have to agree after a while, not at once.
 */
async function checkFirstPage(browser, scenario, address) {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    await page.locator('[data-testid=first-advice]').waitFor({ timeout: PAGE_WAIT_MS });
    const looked = async () => {
      const shown = await page.evaluate(firstView);
      if (shown === null) return null;
      const incident = await get(address, `/api/v1/incidents/${encodeURIComponent(shown.selected)}`);
      const diagnosis = await get(address, `/api/v1/diagnoses/${incident.diagnosis}`);
      return [
        ['the headline begins with the culprit', shown.verdict.startsWith(incident.headline.culprit), true],
        ['there is a next step', !shown.advice.startsWith('No advice'), diagnosis.advice.length > 0],
        ['both are visible without scrolling', shown.below <= 0, true],
        ['packets were lost', shown.costs.includes(' lost'), lostOf(diagnosis) > 0],
      ];
    };
    let found = null;
    const agrees = async () => (found = (await looked()) ?? found)?.every(([, actual, expected]) => actual === expected);
    // Each check that disagrees to the end is reported below.
    const late = await until('a first page that agrees with the server', PAGE_WAIT_MS, agrees).catch((error) => error);
    if (found === null) throw late;
    for (const [what, actual, expected] of found ?? []) check(scenario, `first page: ${what}`, actual, expected);
    await page.screenshot({ path: join(ARTIFACTS, `first-${scenario}.png`) });
  } finally {
    await page.close();
  }
}

/** Whether a port was paused in all of these samples, and none between them is missing. */
function staysPaused(samples) {
  const follows = (sample, at) => at === 0 || sample.time_ns - samples[at - 1].time_ns <= 1.5 * sample.interval_ns;
  return samples.length > 0 && samples.every((sample, at) => sample.paused && follows(sample, at));
}

/**
 * Watches an incident until it ends, which it must not do while its ports are paused. Each round of a demo ends without pauses.
 *
 * The answers are of different moments, so the samples count from before the last answer in which it was open until after the
 * first one in which it has ended: in between, a port may have been resumed, and paused again by the next round.
 */
async function checkState(scenario, address, id) {
  let before = [];
  let wasOpen = false;
  const sampled = async () => (await get(address, '/api/v1/ports')).ports;
  // Up to two rounds, which take longer on a busy machine.
  await until(`an end of ${id}`, START_WAIT_MS, async () => {
    const earlier = await sampled();
    const incident = await get(address, `/api/v1/incidents/${encodeURIComponent(id)}`);
    const samples = [earlier, await sampled()];
    const isOpen = incident.end_ns === null;
    if (isOpen || !wasOpen) {
      [before, wasOpen] = [samples, isOpen];
      return false;
    }
    const all = [...before, ...samples].flat();
    const own = [...new Set([...incident.pause_path, ...incident.loop])];
    const paused = own.filter((port) => staysPaused(all.filter((sample) => sample.port === port)));
    check(scenario, 'ports that are paused when the incident ends', paused, []);
    return true;
  });
}

/** Rounds of the demo for which a page is watched. */
const ROUNDS = 3;

/**
 * What recurs: the first page stays at the outage, which leads to the contention; a replay keeps its diagnosis until the
 * reader wants the newer one; the page of events tells a recurrence from a continuation.
 */
async function checkRecurring(browser, scenario, address) {
  const page = await browser.newPage();
  try {
    const incidents = async () => (await get(address, '/api/v1/incidents')).incidents;
    const outage = await until('an outage', START_WAIT_MS, async () => (await incidents()).find(({ anomaly }) => anomaly === 'path_change'));
    await until('its contention', START_WAIT_MS, async () => (await incidents()).length > 1);
    await page.goto(address);
    const headlines = new Set();
    const times = async () => (await get(address, `/api/v1/incidents/${encodeURIComponent(outage.id)}`)).recurrences;
    const first = await times();
    await until('some rounds', START_WAIT_MS, async () => {
      const shown = await page.evaluate(() => new URL(document.querySelector('[data-testid=incident][aria-current=true]')?.href ?? location.href).searchParams.get('incident'));
      if (shown !== null) headlines.add(shown);
      return (await times()) >= first + ROUNDS;
    });
    check(scenario, 'incidents that the first page shows in turn', [...headlines], [outage.id]);

    const contention = (await incidents()).find(({ pause_path }) => pause_path.length > 0);
    await page.goto(`${address}/incidents/${encodeURIComponent(contention.id)}`);
    const slider = page.locator('[data-testid=replay]');
    await slider.waitFor({ timeout: PAGE_WAIT_MS });
    await slider.fill('1');
    const shown = () => page.locator('a', { hasText: /^diagnosis/ }).first().getAttribute('href');
    const replayed = await shown();
    await page.locator('[data-testid=newer]').waitFor({ timeout: START_WAIT_MS });
    check(scenario, 'the diagnosis that is replayed stays', [await shown(), await slider.inputValue()], [replayed, '1']);
    await page.locator('[data-testid=newer]').getByRole('button').click();
    await until('the newer diagnosis', PAGE_WAIT_MS, async () => (await shown()) !== replayed);

    await page.goto(`${address}/events?kind=incident`);
    await page.locator('[data-testid=event]', { hasText: /^incident Came back \(\d+[a-z]+ time\)/ }).first().waitFor({ timeout: PAGE_WAIT_MS });
  } finally {
    await page.close();
  }
}

/** The map can show queues or utilisation instead of pauses, and the URL says which. */
async function checkMeasures(browser, scenario, address) {
  const page = await browser.newPage();
  try {
    await page.goto(address);
    await page.locator('[data-testid=fabric]').waitFor({ timeout: PAGE_WAIT_MS });
    for (const [button, name] of [['Queue', 'queue'], ['Utilisation', 'utilisation']]) {
      await page.locator('[data-testid=measures]').getByRole('button', { name: button }).click();
      await page.locator(`[data-testid=measured][data-measure=${name}]`).waitFor({ state: 'attached', timeout: PAGE_WAIT_MS });
      check(scenario, `the URL of a map of ${name}`, new URL(page.url()).searchParams.get('links'), name);
      check(scenario, `the legend of a map of ${name}`, await page.locator('[data-testid=legend-measure] .step').count(), 4);
    }
    // Flows send in each round, so that some link is busy at some time.
    await page.locator('[data-testid=measured] path').first().waitFor({ state: 'attached', timeout: PAGE_WAIT_MS });
    await page.locator('[data-testid=measures]').getByRole('button', { name: 'Paused' }).click();
    check(scenario, 'the URL of the usual map', new URL(page.url()).search, '');
  } finally {
    await page.close();
  }
}

async function checkScenario(browser, scenario) {
  const { stdout } = await promisify(execFile)(binary, ['run', scenario, '--json'], { maxBuffer: 1 << 28 });
  const expectsVerdict = JSON.parse(stdout).diagnoses.some(({ severity }) => severity !== 'info');
  const { child, address } = await demo(scenario);
  try {
    const first = async () => (await get(address, '/api/v1/incidents')).incidents[0];
    if (!expectsVerdict) {
      check(scenario, 'incidents', (await first()) ?? null, null);
      return;
    }
    const incident = await until(`an incident of ${scenario}`, START_WAIT_MS, first);
    await checkPage(browser, scenario, address, incident);
    await checkFirstPage(browser, scenario, address);
    if (scenario === 'link-flap') {
      await checkRecurring(browser, scenario, address);
      await checkMeasures(browser, scenario, address);
    }
    // Without ports, an incident ends with its quiet time.
    if (incident.pause_path.length + incident.loop.length > 0) await checkState(scenario, address, incident.id);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The names of all built-in scenarios. */
function builtin() {
  const listed = execFileSync(binary, ['scenario', 'list', '--json'], { encoding: 'utf8' });
  return JSON.parse(listed).scenarios.map(({ name }) => name);
}

mkdirSync(ARTIFACTS, { recursive: true });
const profile = mkdtempSync(join(tmpdir(), 'harrier-scenarios-'));
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  viewport: { width: 1280, height: 800 },
  colorScheme: 'dark',
});
try {
  const queue = wanted.length > 0 ? wanted : builtin();
  const total = queue.length;
  const worker = async () => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const before = failures.length;
      try {
        await checkScenario(browser, name);
      } catch (error) {
        failures.push(`${name}: ${error.message}`);
      }
      const failed = failures.slice(before).some((failure) => failure.startsWith(`${name}:`));
      console.error(`${failed ? 'FAILED ' : 'ok     '} ${name}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  console.error(`${total} scenarios, ${failures.length} failed checks`);
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
