// Every page of the dashboard is accessible, at the width of a laptop and of a phone, in both themes.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { checkEverywhere, rest } from './checks.mjs';
import { STEP_WAIT_MS, until } from './page.mjs';

const RUNBOOK = join(import.meta.dirname, '../../docs/runbook');
/** The pages of the runbook, that of settings included. */
const runbook = () => readdirSync(RUNBOOK).filter((file) => file.endsWith('.md') && file !== 'README.md').map((file) => file.replace(/\.md$/, ''));

const UNKNOWN = '/nowhere';

/** Opens an address without a request: the server answers that an unknown page does not exist, which the console notes. */
async function goWithin(page, base, path) {
  await page.goto(base);
  await page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);
}

/**
 * The pages as name, path and what is shown when they are complete. Those of tokens and of the login need a server with tokens:
 * access.mjs and states.mjs check them.
 */
async function pages(page, incidentId) {
  const part = encodeURIComponent;
  const incident = await rest(page, `/api/v1/incidents/${part(incidentId)}`);
  const diagnosis = await rest(page, `/api/v1/diagnoses/${part(incident.diagnosis)}`);
  const { nodes } = await rest(page, '/api/v1/topology');
  const root = incident.root_cause.port ?? incident.pause_path[0] ?? incident.loop[0];
  const node = root.slice(0, root.lastIndexOf(':'));
  const host = nodes.find(({ kind }) => kind === 'host').name;
  const flow = diagnosis.victim ?? incident.victims[0];
  return [
    ['overview', '/', '[data-testid=first-advice]'],
    ['incident', `/incidents/${part(incidentId)}`, '[data-testid=graph-node]'],
    ['diagnosis', `/diagnoses/${part(incident.diagnosis)}`, '[data-testid=graph-node]'],
    ['port', `/ports/${part(root)}`, '.u-over'],
    ['flow', `/flows/${part(flow)}`, '[data-testid=incident-rows]'],
    ['switch', `/switches/${part(node)}`, '[data-testid=node-port]'],
    ['host', `/hosts/${part(host)}`, '[data-testid=node-port]'],
    ['events', '/events', '[data-testid=event]'],
    ['findings', '/findings', 'main .panel'],
    ['compare', `/compare?a=${part(incidentId)}&b=${part(incidentId)}`, '[data-testid=compare-row]'],
    ['periods', '/compare/periods', '[data-testid=compare-row]'],
    ['query', '/query', '[data-testid=ask]'],
    ['history', '/history', '[data-testid=row]'],
    ['daemons', '/daemons', 'main .message, [data-testid=daemon]'],
    ['unknown page', UNKNOWN, 'main:has-text("Page not found")'],
    ['runbook', '/runbook', 'main .body a'],
    ...runbook().map((name) => [`runbook/${name}`, `/runbook/${name}`, '[data-testid=runbook-page]']),
  ];
}

export async function checkPages(page, base, incidentId) {
  for (const [name, path, complete] of await pages(page, incidentId)) {
    if (path === UNKNOWN) await goWithin(page, base, path);
    else await page.goto(base + path);
    await page.locator(complete).first().waitFor({ timeout: STEP_WAIT_MS });
    await until('the live stream', STEP_WAIT_MS, () => page.locator('[data-state=live]').count());
    await checkEverywhere(page, `page ${name}`);
  }
}
