// Tests the dashboard in headless Chromium: it shows what REST returns, without errors on the console.
//
//   npm ci && node run.mjs URL [--expect FILE.json]
//
// Waits for an incident. FILE.json holds fields of a diagnosis as `harrier run --json` prints it; with it the script
// waits for an incident with that anomaly and root cause and checks every field in the file. Screenshots are written to
// artifacts/. Exit status: 0 success, 1 a check failed, 2 the script could not run.

import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { check, checkAccessible, checkNarrow, failures, rest } from './checks.mjs';
import { firstView } from './first-view.mjs';
import { checkNetwork } from './network.mjs';
import { attributes, pausesThatDiffer, STEP_WAIT_MS, until } from './page.mjs';
import { checkPages } from './pages.mjs';
import { checkViews } from './views.mjs';

const INCIDENT_WAIT_MS = 90_000;
/** What the first view may transfer, code and fonts included. */
const FIRST_VIEW_BYTES = 250_000;
const ARTIFACTS = join(import.meta.dirname, 'artifacts');
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function usage(message) {
  console.error(`${message}\nusage: node run.mjs URL [--expect FILE.json]`);
  process.exit(2);
}

function readArguments() {
  const [base, ...rest] = process.argv.slice(2);
  if (!base || !URL.canParse(base)) usage(`\`${base ?? ''}\` is not a URL`);
  if (rest.length === 0) return { base: new URL(base).origin, expected: null };
  const [flag, file] = rest;
  if (rest.length !== 2 || flag !== '--expect') usage(`\`${rest.join(' ')}\` is not understood`);
  return { base: new URL(base).origin, expected: JSON.parse(readFileSync(file, 'utf8')) };
}

async function findIncident(page, expected) {
  return until('an incident', INCIDENT_WAIT_MS, async () => {
    const { incidents } = await rest(page, '/api/v1/incidents');
    return incidents.find(
      (incident) =>
        (!expected?.anomaly || incident.anomaly === expected.anomaly) &&
        (!expected?.root_cause?.port || incident.root_cause.port === expected.root_cause.port) &&
        (!expected?.root_cause?.host || incident.root_cause.host === expected.root_cause.host),
    );
  });
}

async function checkOverview(page, base, expected) {
  await page.goto(base);
  const found = await findIncident(page, expected);
  const row = page.locator(`[data-testid=incident][href="/?incident=${encodeURIComponent(found.id)}"]`);
  await row.waitFor({ timeout: STEP_WAIT_MS });
  // Incidents can be selected with the keyboard.
  await row.focus();
  await page.keyboard.press('Enter');
  await until('the selected incident', STEP_WAIT_MS, async () => (await row.getAttribute('aria-current')) === 'true');
  await page.locator('[data-testid=verdict]').waitFor({ timeout: STEP_WAIT_MS });
  await page.locator('[data-testid=fabric]').waitFor({ timeout: STEP_WAIT_MS });
  await until('the live stream', STEP_WAIT_MS, () => page.locator('[data-state=live]').count());

  const topology = await rest(page, '/api/v1/topology');
  const named = await page.locator('[data-testid=fabric] .nodes > g').count();
  check('overview: every node is on the map', named, topology.nodes.length);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  check('overview: nothing is cut off sideways', wide, false);
  await page.locator('[data-testid=first-advice]').waitFor({ timeout: STEP_WAIT_MS });
  await checkNarrow(page, 'overview');
  await checkAccessible(page, 'overview');
  return found.id;
}

/** Every part of the incident page is that of a diagnosis. */
async function checkParts(page, diagnosis) {
  const graph = await rest(page, `/api/v1/diagnoses/${encodeURIComponent(diagnosis.id)}/graph`);

  // The analyzer writes ASCII and marks names with backticks; the page shows µs, arrows and code.
  const plain = (text) => text?.replaceAll(/\bfor (\d[\d.]* \w+) so far\b/g, 'for at least $1').replaceAll(/\b1 (packet|byte|flow|frame)s\b/g, '1 $1');
  const readable = (text) => plain(text)?.replaceAll(/(\d) us\b/g, '$1 µs').replaceAll(' -> ', ' → ').replaceAll('`', '');
  check('summary', (await page.locator('[data-testid=summary]').textContent())?.trim(), readable(diagnosis.summary));
  const first = await page.locator('[data-testid=first-advice]').textContent();
  check('the first advice is what to do', first?.toLowerCase(), readable(diagnosis.advice[0])?.toLowerCase());
  check('anomaly', await attributes(page, '[data-testid=anomaly]', 'data-value'), [diagnosis.anomaly]);
  // A loss or a change of the path has no cause beside itself.
  const isItsOwn = diagnosis.cause === 'undetermined' && ['packet_loss', 'path_change', 'self_inflicted'].includes(diagnosis.anomaly);
  // Beside a culprit that the headline names, "cause undetermined" would contradict it.
  const { flows, host, config } = diagnosis.root_cause;
  const isNamed = diagnosis.cause === 'undetermined' && (flows.length > 0 || host !== null || config.length > 0);
  check('cause', await attributes(page, '[data-testid=cause]', 'data-value'), isItsOwn || isNamed ? [] : [diagnosis.cause]);
  // A measured flow that is a culprit is not shown as the victim.
  const isCulprit = diagnosis.root_cause.config.length === 0 && diagnosis.root_cause.flows.includes(diagnosis.victim);
  if (!isCulprit) check('victim', await attributes(page, '[data-testid=victim] [data-flow]', 'data-flow'), [diagnosis.victim]);
  const culprits = await attributes(page, '[data-testid=culprit] [data-flow]', 'data-flow');
  check('culprit flows', culprits, diagnosis.root_cause.flows);
  const path = diagnosis.pause_path.length > 0 ? diagnosis.pause_path : diagnosis.loop;
  const hops = await attributes(page, '[data-testid=hop]', 'data-port');
  if (path.length > 0) check('pause path', hops, path);
  const nodes = await attributes(page, '[data-testid=graph-node]', 'data-id');
  check('graph nodes', nodes, graph.nodes.map((node) => node.id));
  check('evidence', await page.locator('[data-testid=evidence]').count(), diagnosis.evidence.length);
  check('missing', await page.locator('[data-testid=missing] li').count(), gaps(diagnosis).length);
}

/** The data that is missing; a note about the root cause of another verdict is none. */
const gaps = ({ missing }) => missing.filter((text) => !text.startsWith('the root cause is that of the verdict at '));

async function checkIncident(page, incidentId, expected) {
  await page.getByRole('link', { name: 'Open incident' }).click();
  await page.waitForURL(`**/incidents/${encodeURIComponent(incidentId)}`);
  await page.locator('[data-testid=graph-node]').first().waitFor({ timeout: STEP_WAIT_MS });

  // The representative diagnosis may change meanwhile: what was compared counts if the page shows the same one before
  // and after.
  let attempts = 0;
  const shown = () => page.locator('a', { hasText: /^diagnosis/ }).first().getAttribute('href');
  const diagnosis = await until('page and REST agree', STEP_WAIT_MS, async () => {
    const incident = await rest(page, `/api/v1/incidents/${encodeURIComponent(incidentId)}`);
    const before = await shown();
    if (before !== `/api/v1/diagnoses/${encodeURIComponent(incident.diagnosis)}`) return null;
    const found = failures.length;
    const compared = await rest(page, before);
    await checkParts(page, compared);
    // The graph arrives after the diagnosis; what differs for two seconds is wrong.
    if ((await shown()) === before && (failures.length === found || attempts++ > 20)) return compared;
    failures.length = found;
    return null;
  });
  if (expected) checkExpected(diagnosis, expected);
  await checkWhatIf(page);
  await checkReplay(page);
  await checkHandling(page, incidentId);
  await checkNarrow(page, 'incident');
  await checkAccessible(page, 'incident');
}

/** The run without the root cause stands beside the verdict, as REST has it. */
async function checkWhatIf(page) {
  const panel = page.locator('[data-testid=what-if]');
  await until('the repeated run', STEP_WAIT_MS, async () => {
    const outcome = await panel.getAttribute('data-outcome');
    return outcome !== null && outcome !== 'loading';
  });
  check('what if: the run is repeated', await panel.getAttribute('data-outcome'), 'repeated');
  const path = await panel.locator('a', { hasText: /^both runs/ }).getAttribute('href');
  const { outcome, verified, verification } = await rest(page, path);
  check('what if over REST', outcome, 'repeated');
  check('what if: verdict', await panel.locator('[data-testid=what-if-verified]').getAttribute('data-value'), String(verified));
  check('what if: the victim is faster', verification.rtt_after_ns === null || verification.rtt_after_ns < verification.rtt_before_ns, true);
}

/** A note acknowledges the incident, another one says that the verdict was right; every other button does what it says. */
async function checkHandling(page, incidentId) {
  const path = `/api/v1/incidents/${encodeURIComponent(incidentId)}`;
  await page.locator('[data-testid=note]').fill('the NIC is replaced');
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.locator('[data-testid=notes] li', { hasText: 'the NIC is replaced' }).waitFor({ timeout: STEP_WAIT_MS });
  await page.getByRole('button', { name: 'Right', exact: true }).click();
  await page.locator('[data-testid=notes] li', { hasText: 'verdict right' }).waitFor({ timeout: STEP_WAIT_MS });
  check('handling', await page.locator('[data-testid=handling-state]').textContent(), 'acknowledged');
  const { handling, feedback } = await rest(page, path);
  check('handling over REST', [handling, feedback], ['acknowledged', 'right']);
  const { notes } = await rest(page, `${path}/notes`);
  check('notes over REST', notes.map(({ author, text }) => [author, text]), [['anonymous', 'the NIC is replaced'], ['anonymous', '']]);

  const added = async (number) =>
    until(`note ${number}`, STEP_WAIT_MS, async () => {
      const all = (await rest(page, `${path}/notes`)).notes;
      return all.length >= number && (await page.locator('[data-testid=notes] li').count()) >= number ? all[number - 1] : null;
    });
  // A recurrence reopens a resolved incident, and those of a demo come back at any time: its note shows that it was resolved.
  const buttons = [['Silence', 'silenced'], ['Reopen', 'open'], ['Resolve', 'resolved'], ['Acknowledge', 'acknowledged']];
  let number = 2;
  for (const [button, state] of buttons) {
    const text = `by the button ${button}`;
    await page.locator('[data-testid=note]').fill(text);
    await page.locator('[data-testid=handling]').getByRole('button', { name: button, exact: true }).click();
    number += 1;
    const note = await added(number);
    check(`${button}: the note over REST`, [note.handling, note.text], [state, text]);
    const shown = page.locator('[data-testid=notes] li', { hasText: text });
    check(`${button}: the note on the page`, await shown.locator('.chip').textContent(), state);
    check(`${button}: the field is empty again`, await page.locator('[data-testid=note]').inputValue(), '');
    if (state === 'resolved') continue;
    await until(`the state ${state}`, STEP_WAIT_MS, async () => (await page.locator('[data-testid=handling-state]').textContent()) === state);
    check(`${button}: the state over REST`, (await rest(page, path)).handling, state);
    check(`${button}: it is no choice in this state`, await page.locator('[data-testid=handling]').getByRole('button', { name: button, exact: true }).count(), 0);
  }
  for (const [button, feedback] of [['Wrong', 'wrong'], ['Unclear', 'unclear'], ['Right', 'right']]) {
    await page.getByRole('button', { name: button, exact: true }).click();
    number += 1;
    check(`${button}: the note over REST`, (await added(number)).feedback, feedback);
    check(`${button}: the feedback over REST`, (await rest(page, path)).feedback, feedback);
    await page.locator('[data-testid=handling] .feedback [aria-pressed=true]', { hasText: button }).waitFor({ timeout: STEP_WAIT_MS });
    check(`${button}: the only one pressed`, await page.locator('[data-testid=handling] .feedback [aria-pressed=true]').allTextContents(), [button]);
  }
}

/** The slider shows the ports that were paused, with the times that the pause path has; the present returns with its button. */
async function checkReplay(page) {
  const rows = await page.locator('[data-testid=pause-row]').count();
  if (rows === 0) return;
  check('pauses: chart and pause path agree', await page.evaluate(pausesThatDiffer), []);
  const slider = page.locator('[data-testid=replay]');
  await page.getByText(/the replay has steps of (\d+0 µs|\d+(\.\d+)? m?s)/).waitFor({ timeout: STEP_WAIT_MS });
  await slider.fill('0');
  check('replay: times are relative to the measurement', /^\d+(\.\d+)? (ns|µs|ms|s) before the measurement$/.test(await slider.getAttribute('aria-valuetext')), true);
  check('replay: the first pause', /^\s*−\S+ \S+: paused \S/.test(await page.locator('[data-testid=replay] + .said').textContent()), true);
  await page.getByRole('button', { name: 'Show the present' }).click();
  check('replay: the map shows the present again', await page.getByText('the map shows the present').count(), 1);
}

/** Checks every field of the expectation; lists of flows may have any order, paths may not. */
function checkExpected(diagnosis, expected) {
  for (const field of ['victim', 'anomaly', 'cause', 'pause_path', 'loop']) {
    if (field in expected) check(`expected ${field}`, diagnosis[field], expected[field]);
  }
  for (const field of ['spreaders', 'victims']) {
    if (field in expected) check(`expected ${field}`, diagnosis[field].toSorted(), expected[field].toSorted());
  }
  const root = expected.root_cause ?? {};
  for (const field of ['port', 'host']) {
    if (field in root) check(`expected root ${field}`, diagnosis.root_cause[field], root[field]);
  }
  if (root.flows) check('expected culprits', diagnosis.root_cause.flows.toSorted(), root.flows.toSorted());
}

/** The history finds the incident by its URL; the runbook has the page that an incident links to. */
async function checkHistory(page, base, incidentId) {
  const incident = await rest(page, `/api/v1/incidents/${encodeURIComponent(incidentId)}`);
  await page.goto(`${base}/history`);
  await page.locator('[data-testid=row]').first().waitFor({ timeout: STEP_WAIT_MS });
  await checkNarrow(page, 'history');
  await page.locator('[data-testid=filter-anomaly]').selectOption(incident.anomaly);
  await page.waitForURL(`**/history?anomaly=${incident.anomaly}`);
  const link = page.locator(`[data-testid=row] a[href="/incidents/${encodeURIComponent(incidentId)}"]`);
  await link.waitFor({ timeout: STEP_WAIT_MS });
  await page.goto(`${base}/runbook/${incident.anomaly}`);
  await page.locator('[data-testid=runbook-page]').waitFor({ timeout: STEP_WAIT_MS });
}

/** A server that groups recurrences: the list has what its incident says, with times of the wall clock. */
async function checkRecurrence(page, base, known) {
  const before = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
  await page.route(/\/api\/v1\/incidents\?/, async (route) => {
    const answer = await (await route.fetch()).json();
    const recurring = {
      ...answer.incidents[0],
      id: 'i-recurring',
      severity: 'major',
      confidence: 0.4,
      end_ns: null,
      recurrences: 39,
      // The clock of a real network is that of the calendar.
      occurrences: [{ start_ns: (Date.now() - 240_000) * 1e6, end_ns: null, start_time: before(240) }],
      start_time: before(7200),
      update_time: before(12),
      victim_count: 1234,
    };
    const other = { ...recurring, id: 'i-other', update_time: before(60) };
    await route.fulfill({ json: { ...answer, incidents: [recurring, other], total: 5000, open_total: 70 } });
  });
  await page.goto(`${base}/?incident=i-recurring`);
  const card = page.locator('[data-testid=incident]').filter({ hasText: '39th time' }).first();
  await card.waitFor({ timeout: STEP_WAIT_MS });
  const text = (await card.textContent()).replaceAll(/\s+/g, ' ');
  check('recurrence: the card says how often and when', /39th time, last \d+ s ago/.test(text), true);
  check('recurrence: severity', await card.locator('[data-testid=severity]').textContent(), 'major');
  check('recurrence: a guess is grey', await card.evaluate((element) => element.classList.contains('weak')), true);
  await page.getByText('ongoing, diagnosed for 4 min').waitFor({ timeout: STEP_WAIT_MS });
  const counts = await page.locator('section[aria-label=Incidents] > header').textContent();
  check('recurrence: counts are those of the server', /70 ongoing, 4.930 ended/.test(counts), true);
  await page.screenshot({ path: join(ARTIFACTS, 'recurrence.png') });
  await checkAccessible(page, 'recurrence');
  await page.keyboard.press('j');
  await page.waitForURL('**/?incident=i-other');
  await page.keyboard.press('k');
  await page.waitForURL('**/?incident=i-recurring');
  // A link to an incident that the list does not have loads it; a wrong link says so.
  await page.goto(`${base}/?incident=${encodeURIComponent(known)}`);
  await page.locator(`[data-testid=verdict]`).waitFor({ timeout: STEP_WAIT_MS });
  const open = await page.getByRole('link', { name: 'Open incident' }).getAttribute('href');
  check('a link to an older incident shows it', open, `/incidents/${encodeURIComponent(known)}`);
  await page.unroute(/\/api\/v1\/incidents\?/);
}

/** The answer about a flow that nothing slows down is good news, not an alert. */
async function checkHealthyFlow(page, base) {
  const answer = { anomaly: null, detail: 'not slowed down', looked_at: 'four switches, no queue and no pause' };
  await page.route('**/api/v1/queries', (route) => route.fulfill({ json: answer }));
  await page.goto(`${base}/query?flow=${encodeURIComponent('10.0.1.1:4000>10.0.2.1:4791/udp')}`);
  await page.locator('[data-testid=ask]').click();
  const box = page.locator('[data-testid=healthy]');
  await box.waitFor({ timeout: STEP_WAIT_MS });
  check('a healthy flow: what was looked at', (await box.textContent()).includes(answer.looked_at), true);
  check('a healthy flow is no alert', await page.locator('form [role=alert]').count(), 0);
  await page.unroute('**/api/v1/queries');
}

/** More tabs than a browser opens connections to one server: all are live, with one stream. */
async function checkTabs(browser, base) {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => browser.newPage()));
  try {
    const live = await Promise.all(
      tabs.map(async (tab) => {
        await tab.goto(`${base}/history`);
        return tab.locator('[data-state=live]').waitFor({ timeout: STEP_WAIT_MS }).then(() => true, () => false);
      }),
    );
    check('every one of many tabs is live', live, tabs.map(() => true));
  } finally {
    await Promise.all(tabs.map((tab) => tab.close()));
  }
}

/** Without the server the page says how old its data is, until the server is back. Its requests fail meanwhile. */
async function checkOutage(page, base) {
  // A stream that ends after its first event, and is refused after that.
  let connections = 0;
  await page.route('**/api/v1/events', (route) => {
    connections += 1;
    if (connections > 1) return route.abort();
    return route.fulfill({ contentType: 'text/event-stream', body: 'event: hello\ndata: {}\n\n' });
  });
  await page.goto(base);
  const banner = page.locator('[data-testid=stale]');
  await banner.waitFor({ timeout: STEP_WAIT_MS });
  check('outage: the banner has the time of the data', /^\s*Data from (\S+ )?\d\d:\d\d:\d\d, .+ old\./.test(await banner.textContent()), true);
  check('outage: the panels are grey', await page.locator('main.stale').count(), 1);
  await page.unroute('**/api/v1/events');
  await banner.waitFor({ state: 'detached', timeout: STEP_WAIT_MS });
}

async function checkOtherPages(page, base) {
  await page.goto(`${base}/query`);
  await checkNarrow(page, 'query');
  await page.locator('[data-testid=ask]').click();
  check('an empty query is not sent', await page.locator('[aria-invalid=true]').count(), 3);
  await page.getByRole('link', { name: 'Daemons' }).click();
  await page.waitForURL('**/daemons');
  const { daemons } = await rest(page, '/api/v1/daemons');
  await page.locator(daemons.length > 0 ? '[data-testid=daemon]' : 'text=No daemon has connected').first().waitFor({ timeout: STEP_WAIT_MS });
  check('daemons', await page.locator('[data-testid=daemon]').count(), daemons.length);
  const { ports } = await rest(page, '/api/v1/ports');
  if (ports.length === 0) return;
  await page.goto(`${base}/ports/${encodeURIComponent(ports[0].port)}`);
  await page.locator('.u-over').first().waitFor({ timeout: STEP_WAIT_MS });
  check('a port has three charts', await page.locator('.uplot').count(), 3);
}

async function run({ base, expected }) {
  mkdirSync(ARTIFACTS, { recursive: true });
  const profile = mkdtempSync(join(tmpdir(), 'harrier-browser-'));
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    viewport: { width: 1280, height: 800 },
    colorScheme: 'dark',
    baseURL: base,
  });
  try {
    const page = browser.pages()[0] ?? (await browser.newPage());
    const errors = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    // The console does not name what failed.
    page.on('response', (response) => {
      if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
    });
    const foreign = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin !== base && url.protocol !== 'data:') foreign.push(request.url());
    });

    const incident = await checkOverview(page, base, expected);
    const { bytes } = await firstView(base);
    check('the first view takes less than 250 kB', bytes < FIRST_VIEW_BYTES ? 'less' : bytes, 'less');
    await page.screenshot({ path: join(ARTIFACTS, 'overview.png') });
    await checkIncident(page, incident, expected);
    await page.screenshot({ path: join(ARTIFACTS, 'incident.png'), fullPage: true });
    await page.getByRole('button', { name: /Change to light/ }).click();
    await page.screenshot({ path: join(ARTIFACTS, 'incident-light.png'), fullPage: true });
    await page.goto(`${base}/?incident=${encodeURIComponent(incident)}`);
    await page.locator('[data-testid=fabric]').waitFor({ timeout: STEP_WAIT_MS });
    await page.screenshot({ path: join(ARTIFACTS, 'overview-light.png') });
    await checkHistory(page, base, incident);
    await checkRecurrence(page, base, incident);
    await checkHealthyFlow(page, base);
    await checkOtherPages(page, base);
    await checkViews(page, base, incident, ARTIFACTS);
    await checkPages(page, base, incident);
    await checkNetwork(page, base, incident, ARTIFACTS);
    await checkTabs(browser, base);
    check('no console error', errors, []);
    check('no request to another host', foreign, []);
    await checkOutage(page, base);
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
}

const settings = readArguments();
try {
  await run(settings);
} catch (error) {
  console.error(`could not run: ${error.message}`);
  process.exit(2);
}
for (const failure of failures) console.error(`FAILED  ${failure}`);
process.exit(failures.length > 0 ? 1 : 0);
