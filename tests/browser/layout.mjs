// Compares the layout and colours of the dashboard's pages with those in layout/, on recorded answers of REST.
//
//   npm ci && node layout.mjs [--write]                 compare, or write layout/*.txt
//   npm ci && node layout.mjs --record NAME HARRIER     record layout/NAME.json from `harrier demo --scenario NAME`
//
// A file has a line for each part of a page: its name, its box and its colours in both themes. Boxes may differ by a few
// pixels. Unlike pictures they do not depend on how a machine smooths glyphs, and a reviewer reads in the difference what has
// moved. Exit status: 0 success, 1 a page differs, 2 the script could not run.

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { STEP_WAIT_MS, until } from './page.mjs';
import { LAYOUT, recording, serve, withPage } from './recorded.mjs';

const ARTIFACTS = join(import.meta.dirname, 'artifacts');
/** Pixels by which a box may differ: versions of Chromium round widths of text differently. */
const TOLERANCE_PX = 6;
const WIDTHS = [1280, 390];
/** How long a recording waits for the answers of a page: the run without the root cause takes seconds. */
const SETTLE_MS = 4_000;
/** The time of the pages, so that ages are the same. */
const NOW = new Date('2026-01-02T12:00:00Z');

/** The pages, with the recorded scenario and what shows that a page is complete. */
const PAGES = [
  ['incident-storm', 'pfc-storm', ({ incident }) => `/incidents/${incident}`, '[data-testid=graph-node]'],
  ['incident-deadlock', 'deadlock-in-loop', ({ incident }) => `/incidents/${incident}`, '[data-testid=graph-node]'],
  ['overview', 'pfc-storm', ({ incident }) => `/?incident=${incident}`, '[data-testid=fabric] .marks text'],
  ['history', 'pfc-storm', () => '/history', '[data-testid=row]'],
  // The latest sample arrives with the live stream, after the series.
  ['port', 'pfc-storm', ({ port }) => `/ports/${encodeURIComponent(port)}`, 'main:has-text("sending") .u-legend .u-value'],
  ['flow', 'pfc-storm', ({ flow }) => `/flows/${encodeURIComponent(flow)}`, '.u-legend .u-value'],
  ['switch', 'pfc-storm', ({ port }) => `/switches/${port.split(':')[0]}`, '[data-testid=node-port]'],
  ['host', 'pfc-storm', ({ host }) => `/hosts/${host}`, '[data-testid=node-port]'],
  ['findings', 'pfc-storm', () => '/findings', '[data-testid=check-finding]'],
  ['access', 'pfc-storm', () => '/access', '[data-testid=token]'],
];

/** Answers of a server that the demo does not have. */
const FIXED = {
  '/api/v1/tokens': { tokens: [{ name: 'grafana', role: 'viewer', created: '2026-01-01T00:00:00Z' }, { name: 'on-call', role: 'operator', created: '2026-01-02T00:00:00Z' }] },
  '/api/v1/findings': { findings: [{ code: 'BUF001', severity: 'error', message: 'no headroom at Ethernet0', fix: 'add a profile', file: 'sw1.json', line: 3 }] },
};

/** The parts of the page that is shown: name, box, colours. Runs in the page. */
function parts() {
  const hex = (colour) => {
    const [, red, green, blue, alpha = '1'] = /rgba?\((\d+), (\d+), (\d+)(?:, ([\d.]+))?\)/.exec(colour) ?? [];
    if (red === undefined) return colour;
    const text = [red, green, blue].map((part) => Number(part).toString(16).padStart(2, '0')).join('');
    return alpha === '1' ? `#${text}` : Number(alpha) === 0 ? 'none' : `#${text}@${alpha}`;
  };
  const selector = 'header a, header button, main h1, main h2, main h3, main .panel, main table, main .uplot, main svg, main button, main input, main select, main textarea, main [data-testid]';
  const seen = new Map();
  return [...document.querySelectorAll(selector)]
    .map((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      // Marks inside of a drawing belong to the drawing.
      if (width === 0 || height === 0 || element.parentElement?.closest('svg')) return null;
      const name = element.dataset.testid ?? element.getAttribute('aria-label') ?? (element.matches('.panel, table, svg, .uplot') ? '' : element.textContent.trim().slice(0, 32));
      const kind = `${element.localName}${element.matches('.panel') ? '.panel' : ''} ${name.replaceAll(/\s+/g, ' ')}`.trim();
      const number = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, number);
      const style = getComputedStyle(element);
      const box = [x, y + scrollY, width, height].map(Math.round);
      return { name: number > 1 ? `${kind} (${number})` : kind, box, colours: [style.color, style.backgroundColor].map(hex).join(' on ') };
    })
    .filter((part) => part !== null);
}

/** Boxes without a change between two looks. */
async function settled(page) {
  await page.evaluate(() => document.fonts.ready);
  let before = '';
  return until('a page at rest', STEP_WAIT_MS, async () => {
    const found = await page.evaluate(parts);
    const text = JSON.stringify(found);
    const isAtRest = text === before;
    before = text;
    return isAtRest ? found : null;
  });
}

/** The lines of a page at one width: the box, and the colours in dark and in light. */
async function lines(page, address, complete, width) {
  await page.setViewportSize({ width, height: 900 });
  await page.goto(address);
  await page.locator(complete).first().waitFor({ timeout: STEP_WAIT_MS });
  const dark = await settled(page);
  if ((await page.locator(complete).count()) === 0) throw new Error(`${address} does not stay complete: ${await page.locator('main').innerText()}`);
  await page.getByRole('button', { name: /^Change to / }).click();
  const light = await settled(page);
  await page.getByRole('button', { name: /^Change to / }).click();
  const colours = new Map(light.map((part) => [part.name, part.colours]));
  return dark.map(({ name, box, colours: own }) => `${box.join(' ')} | ${own} | ${colours.get(name) ?? 'not there'} | ${name}`);
}

/** Pictures of a page that differs, in both themes. */
async function takePictures(page, picture) {
  for (const theme of ['dark', 'light']) {
    await page.screenshot({ path: `${picture}-${theme}.png`, fullPage: true });
    await page.getByRole('button', { name: /^Change to / }).click();
  }
}

/** What differs between two descriptions of a page. */
function differences(expected, found) {
  const parse = (text) => {
    const [box, dark, light, ...name] = text.split(' | ');
    return { name: name.join(' | '), box: box.split(' ').map(Number), colours: `${dark} | ${light}` };
  };
  const wanted = new Map(expected.map(parse).map((part) => [part.name, part]));
  const now = new Map(found.map(parse).map((part) => [part.name, part]));
  const all = [];
  for (const [name, part] of wanted) {
    const other = now.get(name);
    if (!other) all.push(`${name}: is gone`);
    else if (other.box.some((pixel, place) => Math.abs(pixel - part.box[place]) > TOLERANCE_PX)) all.push(`${name}: is at ${other.box.join(' ')}, expected ${part.box.join(' ')}`);
    else if (other.colours !== part.colours) all.push(`${name}: is ${other.colours}, expected ${part.colours}`);
  }
  for (const name of now.keys()) if (!wanted.has(name)) all.push(`${name}: is new`);
  return all;
}

async function compare(writes) {
  let failed = 0;
  const recorded = new Map();
  try {
    await withPage(async (page) => {
      await page.clock.setFixedTime(NOW);
      for (const [name, scenario, path, complete] of PAGES) {
        if (!recorded.has(scenario)) {
          const found = recording(scenario);
          recorded.set(scenario, { ...found, ...(await serve({ ...found.answers, ...FIXED })) });
        }
        const { base, ...details } = recorded.get(scenario);
        for (const width of WIDTHS) {
          const file = join(LAYOUT, `${name}-${width}.txt`);
          const found = await lines(page, base + path(details), complete, width);
          if (writes) writeFileSync(file, `${found.join('\n')}\n`);
          const expected = readFileSync(file, 'utf8').trimEnd().split('\n');
          const all = differences(expected, found);
          for (const text of all) console.error(`FAILED  ${name} at ${width} px: ${text}`);
          if (all.length > 0 || writes) await takePictures(page, join(ARTIFACTS, `layout-${name}-${width}`));
          if (all.length === 0) console.error(`ok      ${name} at ${width} px: ${found.length} parts`);
          failed += all.length;
        }
      }
    });
  } finally {
    for (const { stop } of recorded.values()) stop();
  }
  return failed;
}

/** Records what the pages of a scenario ask for. */
async function record(scenario, binary) {
  const child = spawn(binary, ['demo', '--scenario', scenario, '--listen', '127.0.0.1:0'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    let base;
    for await (const line of createInterface({ input: child.stderr })) {
      base = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
      if (base) break;
    }
    await withPage(async (page) => {
      const get = async (path) => (await page.request.get(base + path)).json();
      const incident = await until('an incident', 90_000, async () => (await get('/api/v1/incidents')).incidents[0]);
      const port = incident.root_cause.port ?? incident.pause_path[0] ?? incident.loop[0];
      const answers = {};
      const pending = [];
      page.on('response', (response) => {
        const url = new URL(response.url());
        const isJson = response.ok() && response.headers()['content-type']?.startsWith('application/json');
        if (url.pathname.startsWith('/api/') && isJson) pending.push(response.json().then((json) => { answers[url.pathname + url.search] ??= json; }, () => {}));
      });
      const host = incident.root_cause.host ?? undefined;
      const details = { incident: incident.id, port, host, flow: incident.victims[0] };
      for (const [, of, path, complete] of PAGES) {
        if (of !== scenario || complete.includes('token') || complete.includes('finding')) continue;
        await page.goto(base + path(details));
        await page.locator(complete).first().waitFor({ timeout: STEP_WAIT_MS });
        await page.waitForTimeout(SETTLE_MS);
      }
      await Promise.all(pending);
      // The incident goes on while its pages are recorded: lists have it as its own page has it.
      const own = answers[`/api/v1/incidents/${incident.id}`];
      for (const answer of Object.values(answers)) {
        if (!answer.incidents) continue;
        answer.incidents = answer.incidents.map((one) => (one.id === own.id ? own : one));
        answer.open_total = answer.incidents.filter((one) => one.end_ns === null).length;
      }
      mkdirSync(LAYOUT, { recursive: true });
      writeFileSync(join(LAYOUT, `${scenario}.json`), `${JSON.stringify({ ...details, answers })}\n`);
    });
  } finally {
    child.kill('SIGKILL');
  }
}

const [flag, scenario, binary] = process.argv.slice(2);
if ((flag !== undefined && flag !== '--write' && flag !== '--record') || (flag === '--record' && !binary)) {
  console.error('usage: node layout.mjs [--write | --record NAME HARRIER]');
  process.exit(2);
}
mkdirSync(ARTIFACTS, { recursive: true });
try {
  if (flag === '--record') await record(scenario, binary);
  else if ((await compare(flag === '--write')) > 0) {
    console.error('layout: look at tests/browser/artifacts/layout-*.png; if the change is wanted, `node tests/browser/layout.mjs --write` and commit layout/');
    process.exitCode = 1;
  }
} catch (error) {
  console.error(`could not run: ${error.message}`);
  process.exitCode = 2;
}
