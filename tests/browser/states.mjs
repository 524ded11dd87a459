// Tests states of the dashboard that a demo does not have: long names, a server that answers with problems or holds its
// stream back, verdicts without a cause, a phone, both clocks of a real network, answers with a malformed value. The answers of
// REST are those that layout.mjs has recorded, changed.
//
//   npm ci && node states.mjs
//
// Exit status: 0 success, 1 a check failed, 2 the script could not run.

import { check, checkEverywhere, failures } from './checks.mjs';
import { STEP_WAIT_MS, until } from './page.mjs';
import { recording, serve, withPage } from './recorded.mjs';

const recorded = recording('pfc-storm');
const { incident: id, port } = recorded;
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const LONG_SWITCH = 'dc7-hall12-pod3-rack-41-leaf-switch-edge2.fabric.example.net';
const LONG_HOST = 'gpu-node-00011.rack41.pod3.hall12.dc7.cluster-a.example.net';

/** The recorded answers with changes; `change` gets a copy. */
function changed(change) {
  const answers = structuredClone(recorded.answers);
  change(answers);
  return answers;
}

/** The recorded answers, with the diagnosis of the incident changed. */
const verdict = (parts) =>
  changed((answers) => {
    const of = answers[`/api/v1/incidents/${id}`].diagnosis;
    const path = `/api/v1/diagnoses/${of}`;
    answers[path] = { ...answers[path], ...parts };
    answers[`${path}/graph`] = { nodes: [], edges: [] };
    const { anomaly, cause, root_cause, pause_path } = answers[path];
    for (const answer of Object.values(answers)) {
      const incidents = answer.incidents ?? (answer.id === id ? [answer] : []);
      for (const incident of incidents) Object.assign(incident, { anomaly, cause, root_cause, pause_path });
    }
  });

/** Runs a test against a server with these answers. */
async function on(answers, test, options) {
  const { base, stop } = await serve(answers, options);
  try {
    await test(base);
  } finally {
    stop();
  }
}

async function open(page, address, complete, size = WIDE) {
  await page.setViewportSize(size);
  await page.goto(address);
  await page.locator(complete).first().waitFor({ timeout: STEP_WAIT_MS });
}

/** How far the page is wider than the screen. */
const overhang = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Names of a data centre fit, on a wide screen and on a phone. */
async function longNames(page) {
  const node = port.slice(0, port.lastIndexOf(':'));
  const text = JSON.stringify(recorded.answers).replaceAll(node, LONG_SWITCH).replaceAll(/\bh11\b/g, LONG_HOST);
  const pages = [
    ['overview', '/', '[data-testid=fabric] .marks text'],
    ['incident', `/incidents/${id}`, '[data-testid=graph-node]'],
    ['switch', `/switches/${LONG_SWITCH}`, '[data-testid=node-port]'],
    ['host', `/hosts/${LONG_HOST}`, '[data-testid=node-port]'],
    ['history', '/history', '[data-testid=row]'],
  ];
  await on(JSON.parse(text), async (base) => {
    for (const [name, path, complete] of pages) {
      for (const size of [WIDE, PHONE]) {
        await open(page, base + path, complete, size);
        check(`long names: ${name} fits into ${size.width} px`, await overhang(page), 0);
      }
    }
    await open(page, base, '[data-testid=fabric] .marks text');
    const symbols = await page.locator('[data-testid=fabric] .switch').evaluateAll((all) =>
      all.filter((one) => one.querySelector('text').getBoundingClientRect().width > 1.6 * one.querySelector('rect').getBoundingClientRect().width).length,
    );
    check('long names: names of switches fit their symbols on the map', symbols, 0);
    await checkEverywhere(page, 'overview with long names');
  });
}

/** A phone shows the place of the incident on the map, whole ports, and the current view in the header. */
async function phone(page) {
  const answers = changed((all) => Object.assign(all['/api/v1/ports'].ports?.[0] ?? all['/api/v1/ports'][0], { paused: true, queue_bytes: 123_456, tx_bps: 98_700_000_000 }));
  await on(answers, async (base) => {
    await open(page, base, '[data-testid=fabric] .marks text', PHONE);
    const seen = await until('the map at the root port', STEP_WAIT_MS, () =>
      page.evaluate(() => {
        const [map, root] = ['[data-testid=map]', '[data-testid=fabric] .marks [data-root=true]'].map((one) => document.querySelector(one).getBoundingClientRect());
        return root.left >= map.left && root.right <= map.right;
      }),
    ).catch(() => false);
    check('phone: the root port is in sight on the map', seen, true);
    const cut = await page.locator('.ports table').evaluate((table) => {
      const { right } = table.closest('.panel').getBoundingClientRect();
      return [...table.querySelectorAll('.value')].filter((value) => value.getBoundingClientRect().right > right - 4 || value.scrollWidth > value.closest('td').clientWidth).map((value) => value.textContent);
    });
    check('phone: no value of the busiest ports is cut off', cut, []);
    await checkEverywhere(page, 'overview on a phone');
    await open(page, `${base}/daemons`, '.message', PHONE);
    const current = await page.locator('nav [aria-current]').first().boundingBox();
    check('phone: the current view is in sight', current.x >= 0 && current.x + current.width <= PHONE.width, true);
    await open(page, `${base}/switches/${port.split(':')[0]}`, '[data-testid=node-port]', PHONE);
    const paused = await page.locator('[data-testid=paused-priorities]').first().boundingBox();
    check('phone: the pauses of a switch are in sight', paused.x + paused.width <= PHONE.width, true);
  });
}

/** A verdict without a flow, host or setting says what happened, not that its cause is unknown. */
async function ownCause(page) {
  const root_cause = { port, flows: [], host: null, config: [] };
  for (const anomaly of ['path_change', 'packet_loss']) {
    await on(verdict({ anomaly, cause: 'undetermined', root_cause, pause_path: [port], missing: [] }), async (base) => {
      await open(page, `${base}/incidents/${id}`, '[data-testid=evidence]');
      const graph = await page.getByText('No graph').waitFor({ timeout: STEP_WAIT_MS }).then(() => true, () => false);
      const text = (await page.locator('main').innerText()).toLowerCase();
      const wrong = ['cause not found', 'cause undetermined', 'telemetry is incomplete'].filter((phrase) => text.includes(phrase));
      check(`${anomaly}: no claim that the cause is unknown`, wrong, []);
      check(`${anomaly}: an empty graph says so`, graph, true);
      const legend = await page.locator('[aria-label=Legend]').innerText();
      check(`${anomaly}: the legend has what the map has`, [legend.includes('root port'), legend.includes('hop on the pause path')], [true, false]);
      await checkEverywhere(page, anomaly);
    });
  }
  await on(verdict({ anomaly: 'host_only', cause: 'undetermined', root_cause: { ...root_cause, port: null }, pause_path: [] }), async (base) => {
    await open(page, `${base}/incidents/${id}`, '[data-testid=evidence]');
    const colours = await page.locator('h1 strong').evaluate((strong) => [strong, strong.parentElement].map((one) => getComputedStyle(one).color));
    check('host only: the headline has no colour of a culprit', colours[0], colours[1]);
    check('host only: no root port is announced', await page.getByRole('heading', { name: 'Root port', exact: true }).count(), 0);
  });
}

/** Problems and empty pages say what is known. */
async function problems(page) {
  const problem = { type: '/problems/unavailable', title: 'The store does not answer', status: 503, detail: 'the database is locked' };
  await on({}, async (base) => {
    await open(page, base, '[role=alert] .title');
    const text = await page.locator('main').innerText();
    check('problem: the overview does not seem to load', text.includes('Loading'), false);
    check('problem: nothing is said about ports', text.includes('No port is paused'), false);
    check('problem: the detail is a sentence', text.includes('The database is locked'), true);
    await checkEverywhere(page, 'overview with a problem');
  }, { problem });
  const tokens = { type: '/problems/no-tokens', title: 'No tokens', status: 404, detail: '`tokens` names their file' };
  await on({}, async (base) => {
    await open(page, `${base}/access`, '.message');
    await page.getByText('This server has no tokens').waitFor({ timeout: STEP_WAIT_MS });
    await checkEverywhere(page, 'no tokens');
    check('no tokens: that is no error', await page.locator('main [role=alert] .title').count(), 0);
  }, { problem: tokens });
  const empty = { ...recorded.answers, '/api/v1/findings': { findings: [] }, '/api/v1/incidents?cause=misconfiguration&limit=200': { incidents: [], total: 0, open_total: 0 } };
  await on(empty, async (base) => {
    await open(page, `${base}/findings`, '.message');
    await until('both panels', STEP_WAIT_MS, async () => (await page.locator('main .message').count()) === 2);
    const outside = await page.locator('main .message p').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().bottom > one.closest('.panel').getBoundingClientRect().bottom).map((one) => one.textContent));
    check('no findings: the text is inside its panel', outside, []);
    await checkEverywhere(page, 'no findings');
  });
}

/** A stream that a proxy holds back keeps no page from loading. */
async function heldStream(page) {
  await on(recorded.answers, async (base) => {
    await open(page, base, '[data-testid=incident]');
    check('held stream: the incidents are shown', await page.locator('[data-testid=incident]').count(), 1);
    check('held stream: the page does not claim to be live', await page.locator('header [data-state=live]').count(), 0);
  }, { stream: null });
}

/** Of a network whose switch time goes as fast as the wall clock, the tooltips of pauses and evidence have both. */
async function clocks(page) {
  const zeroMs = Date.parse('2026-01-02T00:00:00Z');
  const wall = (ns) => new Date(zeroMs + Math.floor(ns / 1e6)).toISOString().replace('Z', `${String(Math.floor(ns / 1e3) % 1000).padStart(3, '0')}Z`);
  const real = withDiagnosis((one, answers) => {
    one.time = wall(one.time_ns);
    const { ports } = answers['/api/v1/ports'];
    for (const sample of ports) Object.assign(sample, { time_ns: one.time_ns + 40e6, time: wall(one.time_ns + 40e6) });
  });
  for (const [what, answers, title] of [
    ['a real network', real, /\(from 2026-01-02 00:00:00\.\d{6}, switch time 0\.\d{6} s\)$/],
    ['a simulated network', recorded.answers, /\(from switch time 0\.\d{6} s\)$/],
  ]) {
    await on(answers, async (base) => {
      await open(page, `${base}/incidents/${id}`, '.pause');
      await until('the samples', STEP_WAIT_MS, () => page.locator(MAP).count());
      const shown = await page.locator('.pause').first().getAttribute('title');
      check(`${what}: the tooltip of a pause`, title.test(shown) ? 'as expected' : shown, 'as expected');
      check(`${what}: times are relative to the measurement`, /^\S+ paused from −\d/.test(shown), true);
    });
  }
}

/** The shown texts of Guard.svelte. */
const FAILED_PANEL = 'This panel cannot be shown';
const FAILED_PAGE = 'This page cannot be shown';
const FAILED_ROW = 'This incident cannot be shown';

/** Answers with the incident changed, in every list and on its own. */
const withIncident = (change) =>
  changed((answers) => {
    for (const answer of Object.values(answers)) {
      for (const incident of answer.incidents ?? (answer.id === id ? [answer] : [])) change(incident);
    }
  });

/** Answers with another incident in front of each list, which has no headline. */
const withBrokenIncident = () =>
  changed((answers) => {
    for (const answer of Object.values(answers)) {
      const [first] = answer.incidents ?? [];
      if (first) answer.incidents.unshift({ ...first, id: 'i-broken', headline: null });
    }
  });

/** Answers with the diagnosis of the incident changed. */
const withDiagnosis = (change) => changed((answers) => change(answers[`/api/v1/diagnoses/${answers[`/api/v1/incidents/${id}`].diagnosis}`], answers));

/** Answers with one of them changed. */
const withAnswer = (path, change) => changed((answers) => change((answers[path] ??= {})));

const PAUSES = 'section[aria-label="Pauses over time"]';
const EVIDENCE = '[data-testid=evidence]';
const MAP = '[data-testid=fabric] .marks text';

/** Malformed answers: what is wrong, the answers, the page, what is still shown, where an error is shown. */
const malformed = () => [
  ['an incident without a root cause, overview', withIncident((one) => (one.root_cause = null)), '/', [MAP, '[aria-label="Busiest ports"] table'], ['section.verdict']],
  ['an incident without a headline, overview', withIncident((one) => (one.headline = null)), '/', [MAP, '[aria-label="Busiest ports"] table'], ['section.list', 'section.verdict']],
  ['an incident without a headline, history', withIncident((one) => (one.headline = null)), '/history', ['[data-testid=search]'], ['section[aria-label=Incidents]']],
  ['one incident of two without a headline, overview', withBrokenIncident(), '/', ['[data-testid=incident]', MAP], ['section.list [data-testid=failed-row]']],
  ['one incident of two without a headline, history', withBrokenIncident(), '/history', ['[data-testid=row]'], ['[data-testid=failed-row]']],
  ['one incident of two without a headline, switch', withBrokenIncident(), `/switches/${port.split(':')[0]}`, ['[data-testid=incident-rows] .what a'], ['[data-testid=failed-row]']],
  ['an incident without a headline, switch', withIncident((one) => (one.headline = null)), `/switches/${port.split(':')[0]}`, ['[data-testid=node-port]'], ['[data-testid=incident-rows]']],
  ['an incident without a handling, its page', withIncident((one) => (one.handling = 'of_tomorrow')), `/incidents/${id}`, [EVIDENCE, MAP, PAUSES], ['section[aria-label=Handling]']],
  ['a diagnosis without a root cause', withDiagnosis((one) => (one.root_cause = null)), `/incidents/${id}`, ['[data-testid=summary]', '[data-testid=handling]', '[data-testid=cost]'], ['.party.culprit', 'section[aria-label="Pause path"]']],
  ['a diagnosis without advice', withDiagnosis((one) => delete one.advice), `/incidents/${id}`, [EVIDENCE, MAP, PAUSES, '[data-testid=summary]'], ['section[aria-label="What to do"]']],
  ['a diagnosis without evidence', withDiagnosis((one) => delete one.evidence), `/incidents/${id}`, ['[data-testid=summary]', '[data-testid=first-advice]', '[data-testid=graph-node]'], ['section[aria-label=Evidence]', PAUSES, 'section[aria-label="Pause path"]']],
  ['a claim without records', withDiagnosis((one) => delete one.evidence[1].records), `/incidents/${id}`, [`${EVIDENCE}:has-text("record")`, '[data-testid=summary]', '[data-testid=first-advice]', '[data-testid=graph-node]'], [`${EVIDENCE} >> nth=1`, PAUSES, 'section[aria-label="Pause path"]']],
  ['a record of an unknown kind', withDiagnosis((one) => one.evidence[0].records.push({ kind: 'of_tomorrow', level: 4 })), `/incidents/${id}`, [`${EVIDENCE}:has-text("of tomorrow")`, PAUSES, MAP], []],
  ['a graph without edges', changed((answers) => delete answers[Object.keys(answers).find((path) => path.endsWith('/graph'))].edges), `/incidents/${id}`, [EVIDENCE, MAP, PAUSES], ['section[aria-label="Provenance graph"]']],
  ['a series without samples', withAnswer(`/api/v1/ports/${encodeURIComponent(port)}/series`, (one) => delete one.samples), `/ports/${encodeURIComponent(port)}`, ['h1', '[data-testid=incident-rows]', 'section[aria-label=Priorities]'], ['section[aria-label=Series]']],
  ['a series of a flow without epochs', withAnswer(`/api/v1/flows/${encodeURIComponent(recorded.flow)}/series`, (one) => delete one.epochs), `/flows/${encodeURIComponent(recorded.flow)}`, ['h1', '[data-testid=incident-rows]'], ['section[aria-label=Series]']],
  ['a report without claims', withAnswer(`/api/v1/hosts/${recorded.host}`, (one) => (one.report = { time: null, interval_ns: 1, findings: [{}] })), `/hosts/${recorded.host}`, ['[data-testid=node-port]', '[data-testid=incident-rows]'], ['section[aria-label="Inside the host"]']],
  ['a finding that is none', withAnswer('/api/v1/findings', (one) => (one.findings = [null])), '/findings', ['h1'], ['section[aria-label="Configurations and cables"]']],
  ['daemons without problems', withAnswer('/api/v1/daemons', (one) => (one.daemons = [{ name: 'a', kind: 'agent' }])), '/daemons', ['nav'], ['section[aria-label="Agents and controllers"]']],
];

/** A value that makes one panel fail leaves the rest of the page usable. */
async function malformedAnswers(page) {
  for (const [what, answers, path, rest, failing] of malformed()) {
    await on(answers, async (base) => {
      await page.setViewportSize(WIDE);
      await page.goto(base + path);
      const sees = (selector) => page.locator(selector).first().waitFor({ timeout: STEP_WAIT_MS }).then(() => true, () => false);
      for (const selector of rest) check(`${what}: ${selector} is shown`, await sees(selector), true);
      for (const selector of failing) {
        const text = new RegExp(`${FAILED_PANEL}|${FAILED_ROW}`);
        const panel = page.locator(selector).filter({ hasText: text }).first();
        check(`${what}: ${selector} says that it cannot be shown`, await panel.waitFor({ timeout: STEP_WAIT_MS }).then(() => true, () => false), true);
      }
      if (failing.length === 0) check(`${what}: no panel fails`, await page.getByText(FAILED_PANEL).count(), 0);
      check(`${what}: the page does not fail`, await page.getByText(FAILED_PAGE).count(), 0);
      check(`${what}: another page can be opened`, await page.getByRole('link', { name: 'Diagnose a flow' }).click().then(() => sees('[data-testid=ask]')), true);
    });
  }
}

try {
  await withPage(async (page) => {
    const errors = [];
    page.on('pageerror', (error) => errors.push(error.message));
    for (const test of [longNames, phone, ownCause, problems, heldStream, clocks, malformedAnswers]) {
      await test(page).catch((error) => failures.push(`${test.name}: ${error.message}`));
    }
    check('no error on any page', errors, []);
  });
  for (const failure of failures) console.error(`FAILED  ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
} catch (error) {
  console.error(`could not run: ${error.message}`);
  process.exitCode = 2;
}
