// The pages of switches, hosts, events and findings, comparisons, and the report of an incident.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, checkAccessible, checkNarrow, checkView, rest } from './checks.mjs';
import { attributes, STEP_WAIT_MS, until } from './page.mjs';

export async function checkViews(page, base, incident, artifacts) {
  await checkNodes(page, base, incident, artifacts);
  await checkEvents(page, base, artifacts);
  await checkFindings(page, base, incident, artifacts);
  await checkExport(page, base, incident, artifacts);
  await checkCompare(page, base, incident, artifacts);
  await checkPeriods(page, base, artifacts);
  await checkReport(page, base, incident, artifacts);
}

/** The pages of a switch and a host have what REST has of them; a wrong name says so. */
async function checkNodes(page, base, incidentId, artifacts) {
  const incident = await rest(page, `/api/v1/incidents/${encodeURIComponent(incidentId)}`);
  const { nodes, links } = await rest(page, '/api/v1/topology');
  const portsOf = (name) => links.flatMap(({ a, b }) => [a, b]).filter((port) => port.slice(0, port.lastIndexOf(':')) === name);
  const root = incident.root_cause.port ?? incident.pause_path[0] ?? incident.loop[0];
  const name = root.slice(0, root.lastIndexOf(':'));
  await page.goto(`${base}/ports/${encodeURIComponent(root)}`);
  await page.locator('.crumbs').getByRole('link', { name, exact: true }).click();
  await page.waitForURL(`**/switches/${encodeURIComponent(name)}`);
  await page.locator('[data-testid=node-page]').waitFor({ timeout: STEP_WAIT_MS });
  const shown = await page.locator('[data-testid=node-port] th').allTextContents();
  check('switch: its ports', shown.toSorted(), portsOf(name).toSorted());
  await page.locator(`[data-testid=incident-rows] a[href="/incidents/${encodeURIComponent(incidentId)}"]`).waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'switch', join(artifacts, 'switch.png'));

  const victim = incident.victims[0];
  const host = nodes.find(({ addresses }) => addresses?.includes(victim.slice(0, victim.lastIndexOf(':', victim.indexOf('>')))));
  await page.goto(`${base}/incidents/${encodeURIComponent(incidentId)}`);
  await page.locator('[data-testid=victim]').first().waitFor({ timeout: STEP_WAIT_MS });
  const toHost = `a[href="/hosts/${encodeURIComponent(host.name)}"]`;
  await page.locator(`article .parties ${toHost}`).first().waitFor({ timeout: STEP_WAIT_MS });
  await page.goto(`${base}/hosts/${encodeURIComponent(host.name)}`);
  await page.locator('[data-testid=node-page]').waitFor({ timeout: STEP_WAIT_MS });
  check('host: its addresses', await page.locator('[data-testid=addresses] code').allTextContents(), host.addresses);
  check('host: its ports', await page.locator('[data-testid=node-port] th').allTextContents(), portsOf(host.name));
  await page.locator(`[data-testid=incident-rows] a[href="/incidents/${encodeURIComponent(incidentId)}"]`).waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'host', join(artifacts, 'host.png'));
  await page.goto(`${base}/switches/nowhere`);
  await page.getByRole('heading', { name: 'There is no switch nowhere' }).waitFor({ timeout: STEP_WAIT_MS });
}

/** The page of events has the records of the stream, those of an unknown kind as JSON; its filters are in the URL. */
async function checkEvents(page, base, artifacts) {
  await page.goto(`${base}/events`);
  const rows = page.locator('[data-testid=event]');
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  await page.locator('[data-testid=event-kind]').selectOption('incident');
  await page.waitForURL('**/events?kind=incident');
  await until('only incidents', STEP_WAIT_MS, async () => new Set(await attributes(page, '[data-testid=event]', 'data-kind')).size === 1);
  await page.reload();
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  check('events: the URL has the filter', [...new Set(await attributes(page, '[data-testid=event]', 'data-kind'))], ['incident']);
  check('events: a record links to its incident', (await rows.first().getByRole('link').getAttribute('href')).startsWith('/incidents/'), true);
  await page.locator('[data-testid=event-search]').fill('no such text');
  await page.getByText('No record matches').waitFor({ timeout: STEP_WAIT_MS });
  await page.getByRole('link', { name: 'Remove all' }).click();
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'events', join(artifacts, 'events.png'));

  const body = 'id: 1-1\nevent: watchdog\ndata: {"port":"sw1:1"}\n\n';
  await page.route('**/api/v1/events?kinds=*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  await page.goto(`${base}/events`);
  check('events: an unknown kind is JSON', await page.locator('[data-testid=event-json]').first().textContent({ timeout: STEP_WAIT_MS }), '{"port":"sw1:1"}');
  await page.unroute('**/api/v1/events?kinds=*');
}

/** A finding that a verdict cites links to its incident and back; stored findings are listed. */
async function checkFindings(page, base, incidentId, artifacts) {
  await page.goto(`${base}/findings`);
  await page.getByText('No verdict cites a finding').waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'no findings', join(artifacts, 'no-findings.png'));
  const incident = await rest(page, `/api/v1/incidents/${encodeURIComponent(incidentId)}`);
  const diagnosis = await rest(page, `/api/v1/diagnoses/${encodeURIComponent(incident.diagnosis)}`);
  const root_cause = { ...incident.root_cause, config: ['sw4:1/alpha'] };
  const record = {
    kind: 'configuration', id: 'sw4:1/alpha', switch: 'sw4', port: 1, setting: 'alpha', deviation: 'less',
    message: 'alpha is 1/16 instead of 1', fix: 'set alpha to 1',
  };
  const evidence = [{ claim: 'the configuration differs', switch: 'sw4', port: 'sw4:1', epoch: null, records: [record] }];
  const cited = { ...incident, id: 'i-cited', cause: 'misconfiguration', root_cause };
  await page.route('**/api/v1/incidents?cause=misconfiguration*', (route) => route.fulfill({ json: { incidents: [cited], total: 1, open_total: 0 } }));
  await page.route('**/api/v1/incidents/i-cited', (route) => route.fulfill({ json: cited }));
  await page.route('**/api/v1/incidents/i-cited/notes', (route) => route.fulfill({ json: { notes: [] } }));
  await page.route('**/api/v1/incidents/i-cited/related', (route) => route.fulfill({ json: { incidents: [incident] } }));
  await page.route('**/api/v1/diagnoses/*', (route) => route.fulfill({ json: { ...diagnosis, cause: 'misconfiguration', root_cause, evidence } }));
  await page.route('**/api/v1/findings*', (route) => route.fulfill({ json: { findings: [{ code: 'BUF1', severity: 'error', message: 'no headroom', fix: 'add it', file: 'a.json', line: 3 }] } }));
  await page.goto(`${base}/findings`);
  const finding = page.locator('[data-testid=finding]');
  await finding.waitFor({ timeout: STEP_WAIT_MS });
  const text = await finding.textContent();
  check('findings: message and fix', [record.message, record.fix].map((part) => text.includes(part)), [true, true]);
  check('findings: the checker', (await page.locator('[data-testid=check-finding]').textContent()).includes('no headroom'), true);
  await checkView(page, 'findings', join(artifacts, 'findings.png'));
  await finding.locator('a[href="/incidents/i-cited"]').click();
  const related = page.locator('[data-testid=related] a[href^="/incidents/"]');
  await related.waitFor({ timeout: STEP_WAIT_MS });
  check('incident: one of the same time', await related.getAttribute('href'), `/incidents/${encodeURIComponent(incident.id)}`);
  await page.locator('[data-testid=root-config]').first().click({ timeout: STEP_WAIT_MS });
  await page.waitForURL('**/findings#sw4%3A1%2Falpha');
  await finding.waitFor({ timeout: STEP_WAIT_MS });
  for (const path of ['**/api/v1/incidents/i-cited/notes', '**/api/v1/incidents/i-cited/related', '**/api/v1/incidents?cause=misconfiguration*', '**/api/v1/incidents/i-cited', '**/api/v1/diagnoses/*', '**/api/v1/findings*']) await page.unroute(path);
}

/** Map and graph are saved as SVG files that need nothing of the page. */
async function checkExport(page, base, incident, artifacts) {
  await page.goto(`${base}/incidents/${encodeURIComponent(incident)}`);
  await page.locator('[data-testid=graph-node]').first().waitFor({ timeout: STEP_WAIT_MS });
  await page.locator('[data-testid=fabric] .nodes text').first().waitFor({ timeout: STEP_WAIT_MS });
  const { nodes } = await rest(page, '/api/v1/topology');
  const switches = nodes.filter(({ kind }) => kind === 'switch').map(({ name }) => name);
  for (const [panel, what] of [['Network map', 'map'], ['Provenance graph', 'graph']]) {
    const section = page.locator(`section[aria-label="${panel}"]`);
    const [download] = await Promise.all([page.waitForEvent('download'), section.locator('[data-testid=save-svg]').click()]);
    const file = join(artifacts, `${what}.svg`);
    await download.saveAs(file);
    check(`export of the ${what}: its name`, /^harrier-[\w.-]+\.svg$/.test(download.suggestedFilename()), true);
    const text = readFileSync(file, 'utf8');
    // The page parses it as XML: a document that is not well-formed has a parsererror.
    const parsed = await page.evaluate((source) => {
      const document = new DOMParser().parseFromString(source, 'image/svg+xml');
      const all = [...document.querySelectorAll('*')];
      const shapes = all.filter(({ localName }) => ['rect', 'circle', 'path', 'text'].includes(localName));
      return {
        root: document.documentElement.localName,
        error: document.querySelector('parsererror')?.textContent ?? null,
        title: document.documentElement.querySelector(':scope > title')?.textContent ?? '',
        unstyled: shapes.filter((shape) => !shape.hasAttribute('fill')).length,
        classes: all.filter((element) => element.hasAttribute('class') || element.hasAttribute('style')).length,
        links: document.querySelectorAll('a, image, script, foreignObject').length,
        texts: [...document.querySelectorAll('text')].map((element) => element.textContent),
      };
    }, text);
    const { title, texts, ...form } = parsed;
    check(`export of the ${what}: self-contained XML`, form, { root: 'svg', error: null, unstyled: 0, classes: 0, links: 0 });
    check(`export of the ${what}: no variables of the page`, text.includes('var('), false);
    check(`export of the ${what}: a title`, title.length > 10, true);
    if (what === 'map') check('export of the map: its switches', switches.every((name) => texts.includes(name)), true);
    // Another program draws it: here the browser, as a picture outside of the page.
    const picture = await page.evaluate(async (source) => {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
      return image.decode().then(() => image.naturalWidth > 100, () => false);
    }, text);
    check(`export of the ${what}: it can be drawn`, picture, true);
  }
}

/** Two incidents side by side, from the page of one. */
async function checkCompare(page, base, incidentId, artifacts) {
  const incident = await rest(page, `/api/v1/incidents/${encodeURIComponent(incidentId)}`);
  const other = { ...incident, id: 'i-other', cause: 'elephant_collision', severity: incident.severity === 'minor' ? 'major' : 'minor' };
  await page.route('**/api/v1/incidents/i-other', (route) => route.fulfill({ json: other }));
  await page.goto(`${base}/incidents/${encodeURIComponent(incidentId)}`);
  await page.locator('[data-testid=compare]').click({ timeout: STEP_WAIT_MS });
  await page.getByText('Choose two incidents').waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'comparison without incidents', join(artifacts, 'compare-empty.png'));
  await page.locator('[data-testid=choose-B]').selectOption(incidentId);
  await page.waitForURL((url) => url.searchParams.get('b') === incidentId);
  const rows = page.locator('[data-testid=compare-row]');
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  await page.goto(`${base}/compare?a=${encodeURIComponent(incidentId)}&b=i-other`);
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  const differing = await attributes(page, '[data-testid=compare-row][data-differs=true]', 'data-name');
  check('comparison: what differs is marked', ['Cause', 'Severity'].every((name) => differing.includes(name)), true);
  check('comparison: what is the same is not marked', differing.includes('Anomaly'), false);
  await checkView(page, 'comparison', join(artifacts, 'compare.png'));
  await page.unroute('**/api/v1/incidents/i-other');
}

/** Two periods side by side, from the history; the incidents of the demo are in the last hour. */
async function checkPeriods(page, base, artifacts) {
  await page.goto(`${base}/history`);
  await page.getByRole('button', { name: 'last hour' }).click({ timeout: STEP_WAIT_MS });
  await page.locator('[data-testid=row]').first().waitFor({ timeout: STEP_WAIT_MS });
  await page.waitForURL((url) => url.searchParams.has('since_time'));
  await page.goto(`${base}/history?until_time=2000-01-01T00:00:00Z`);
  await page.getByText('No incident matches').waitFor({ timeout: STEP_WAIT_MS });
  await page.getByRole('link', { name: 'Compare two periods' }).click({ timeout: STEP_WAIT_MS });
  const row = (name) => page.locator(`[data-testid=compare-row][data-name="${name}"]`);
  await row('Incidents').waitFor({ timeout: STEP_WAIT_MS });
  check('periods: the day before has no incident', await row('Incidents').locator('td').first().textContent().then((text) => text.trim()), '0');
  check('periods: the last day has culprits', (await row('Culprit').locator('td').nth(1).locator('li').count()) > 0, true);
  await page.locator('[data-testid=period-a-since]').fill('2026-01-31T03:00:00');
  await page.waitForURL((url) => (url.searchParams.get('a') ?? '').startsWith('2026-01-'));
  await checkView(page, 'comparison of periods', join(artifacts, 'periods.png'));
  await page.goto(`${base}/compare/periods?a=yesterday`);
  await page.getByText('`yesterday` is not a period').waitFor({ timeout: STEP_WAIT_MS });
}

/** The report of an incident: a page without scripts, as wide as the screen. */
async function checkReport(page, base, incidentId, artifacts) {
  await page.goto(`${base}/api/v1/incidents/${encodeURIComponent(incidentId)}/report?format=html`);
  check('report: its pictures', await attributes(page, 'svg[role=img]', 'aria-label'), ['Pauses by port', 'Paths of victim and culprits']);
  for (const part of ['What to do', 'Without the root cause', 'Evidence']) {
    check(`report: ${part}`, await page.getByRole('heading', { name: part, exact: true }).count(), 1);
  }
  await checkNarrow(page, 'report');
  await checkAccessible(page, 'report');
  await page.screenshot({ path: join(artifacts, 'report.png'), fullPage: true });
}
