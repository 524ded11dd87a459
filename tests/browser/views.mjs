// The pages of switches, hosts, events and findings, and the comparison of two incidents.

import { join } from 'node:path';
import { check, checkView, rest } from './checks.mjs';
import { STEP_WAIT_MS } from './page.mjs';

export async function checkViews(page, base, incident, artifacts) {
  await checkNodes(page, base, incident, artifacts);
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
