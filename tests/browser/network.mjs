// The network as a map and as a table: zoom, pan, collapsed groups, and networks of 1,000 switches.

import { join } from 'node:path';
import { check, checkAccessible, checkNarrow, checkView, rest } from './checks.mjs';
import { STEP_WAIT_MS, until } from './page.mjs';
import { fatTree, leafSpine } from './topologies.mjs';

/** Elements that the map of a network of any size may have: groups are collapsed. */
const ELEMENTS_MOST = 8_000;
/** Rows of a page of the table. */
const TABLE_ROWS = 50;

const transform = (page) => page.locator('[data-testid=viewport]').getAttribute('transform');
const zoomOf = async (page) => Number(/scale\(([\d.]+)\)/.exec(await transform(page))?.[1]);

export async function checkNetwork(page, base, incident, artifacts) {
  await checkZoom(page, base, incident);
  await checkTable(page, base, incident, artifacts);
  await checkLarge(page, base, 'a fat tree of 980 switches', fatTree(28), join(artifacts, 'fat-tree.png'));
  await checkLarge(page, base, 'a leaf-spine network of 1,000 switches', leafSpine(960, 40, 12), join(artifacts, 'leaf-spine.png'));
}

/** Keys, buttons, wheel and drag move the picture; "Fit" shows all of it. */
async function checkZoom(page, base, incident) {
  await page.goto(`${base}/?incident=${encodeURIComponent(incident)}`);
  const map = page.locator('[data-testid=map]');
  await map.waitFor({ timeout: STEP_WAIT_MS });
  await map.focus();
  await page.keyboard.press('+');
  check('map: + zooms in', (await zoomOf(page)) > 1, true);
  const before = await transform(page);
  await page.keyboard.press('ArrowRight');
  check('map: an arrow key moves it', (await transform(page)) !== before, true);
  await page.keyboard.press('-');
  check('map: - zooms out', await zoomOf(page), 1);

  const box = await page.locator('[data-testid=fabric]').boundingBox();
  const middle = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  await page.mouse.move(middle.x, middle.y);
  await page.mouse.wheel(0, -240);
  await until('the wheel zooms', STEP_WAIT_MS, async () => (await zoomOf(page)) > 1);
  const address = page.url();
  const still = await transform(page);
  await page.mouse.down();
  await page.mouse.move(middle.x + 60, middle.y + 10, { steps: 4 });
  await page.mouse.up();
  check('map: a drag moves it', (await transform(page)) !== still, true);
  check('map: a drag opens no link', page.url(), address);
  await page.getByRole('button', { name: 'Fit' }).click();
  check('map: fit', await transform(page), 'translate(0 0) scale(1)');
  await page.getByRole('button', { name: 'Zoom in' }).click();
  check('map: the button zooms in', (await zoomOf(page)) > 1, true);
  await page.getByRole('button', { name: 'Fit' }).click();
  await pinch(page, middle);
  await until('two fingers zoom', STEP_WAIT_MS, async () => (await zoomOf(page)) > 1.5);
}

/** Two fingers that move apart, as pointer events of a touch screen. */
async function pinch(page, { x, y }) {
  await page.locator('[data-testid=fabric]').evaluate((svg, at) => {
    const send = (type, pointerId, clientX) =>
      svg.dispatchEvent(new PointerEvent(type, { pointerId, clientX, clientY: at.y, pointerType: 'touch', bubbles: true }));
    // Synthetic pointers cannot be captured.
    svg.setPointerCapture = () => {};
    send('pointerdown', 11, at.x - 20);
    send('pointerdown', 12, at.x + 20);
    for (const distance of [30, 40, 60]) send('pointermove', 12, at.x + distance);
    send('pointerup', 11, at.x - 20);
    send('pointerup', 12, at.x + 60);
  }, { x, y });
}

/** The table has every port; the URL keeps the choice, also when another incident is selected. */
async function checkTable(page, base, incident, artifacts) {
  await page.goto(`${base}/?incident=${encodeURIComponent(incident)}`);
  await page.getByRole('button', { name: 'Table' }).click();
  await page.waitForURL('**network=table*');
  const { links } = await rest(page, '/api/v1/topology');
  const rows = page.locator('[data-testid=table-row]');
  check('table: a row for each port', await rows.count(), Math.min(TABLE_ROWS, links.length * 2));
  const { diagnosis } = await rest(page, `/api/v1/incidents/${encodeURIComponent(incident)}`);
  const { root_cause: root } = await rest(page, `/api/v1/diagnoses/${encodeURIComponent(diagnosis)}`);
  if (root.port) check('table: the root port is marked', await rows.filter({ hasText: 'root port' }).locator('th').textContent(), root.port);
  await page.locator('[data-testid=table-search]').fill(links[0].a);
  await until('the search finds the port', STEP_WAIT_MS, async () => (await rows.first().textContent()).includes(links[0].a));
  await page.locator('[data-testid=table-search]').fill('no such port');
  await page.getByText('No port matches').waitFor({ timeout: STEP_WAIT_MS });
  await page.reload();
  await rows.first().waitFor({ timeout: STEP_WAIT_MS });
  await checkView(page, 'network as a table', join(artifacts, 'table.png'));
  await page.locator('[data-testid=incident]').first().click();
  check('table: another incident keeps it', new URL(page.url()).searchParams.get('network'), 'table');
  await page.getByRole('button', { name: 'Map', exact: true }).click();
  await page.locator('[data-testid=map]').waitFor({ timeout: STEP_WAIT_MS });
  check('table: the map returns', new URL(page.url()).searchParams.get('network'), null);
}

/** Groups are collapsed, open and close with the keyboard; zoom and pan rebuild nothing. */
async function checkLarge(page, base, what, topology, picture) {
  await page.route('**/api/v1/topology', (route) => route.fulfill({ json: topology }));
  // The live stream tells of the demo's ports.
  await page.route('**/api/v1/ports', (route) => route.fulfill({ json: { ports: [] } }));
  await page.goto(base);
  const groups = page.locator('[data-testid=group]');
  await groups.first().waitFor({ timeout: STEP_WAIT_MS });
  const elements = () => page.locator('[data-testid=fabric] *').count();
  check(`${what}: collapsed, the map has few elements`, (await elements()) < ELEMENTS_MOST / 4, true);
  const collapsed = await groups.count();
  await groups.first().focus();
  await page.keyboard.press('Enter');
  await until('the group opens', STEP_WAIT_MS, async () => (await groups.count()) === collapsed - 1);
  // More than may be open at a time.
  for (let open = 0; open < 6; open += 1) await groups.last().dispatchEvent('click');
  check(`${what}: with open groups, the map has a bounded number of elements`, (await elements()) < ELEMENTS_MOST, true);
  await page.screenshot({ path: picture.replace('.png', '-open.png') });

  // Labels appear with the zoom; nothing else does.
  await page.getByRole('button', { name: 'Fit' }).click();
  const redrawn = await page.locator('[data-testid=viewport]').evaluate(async (viewport) => {
    const changes = { elements: 0, moved: 0, attributes: 0 };
    const observer = new MutationObserver((records) => {
      for (const { type, target, addedNodes, removedNodes } of records) {
        const isPart = (node) => node.nodeType === Node.ELEMENT_NODE && node.localName !== 'text';
        if (type === 'childList') changes.elements += [...addedNodes, ...removedNodes].filter(isPart).length;
        else if (target === viewport) changes.moved += 1;
        else if (target.closest?.('[data-testid=viewport] .nodes, .links')) changes.attributes += 1;
      }
    });
    observer.observe(viewport, { attributes: true, childList: true, subtree: true });
    const map = viewport.closest('[data-testid=map]');
    const press = (key) => map.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    press('+');
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowUp']) {
      await new Promise(requestAnimationFrame);
      press(key);
    }
    await new Promise(requestAnimationFrame);
    observer.disconnect();
    return changes;
  });
  check(`${what}: zoom and pan move the picture`, redrawn.moved > 1, true);
  check(`${what}: zoom and pan add and remove labels only`, redrawn.elements, 0);
  check(`${what}: pan leaves links in place`, redrawn.attributes < 200, true);
  await page.getByRole('button', { name: 'Collapse all' }).click();
  check(`${what}: all groups collapse`, await groups.count(), collapsed);
  await checkNarrow(page, what);
  await checkAccessible(page, what);
  await page.screenshot({ path: picture });
  await page.getByRole('button', { name: 'Table' }).click();
  await page.locator('[data-testid=table-row]').first().waitFor({ timeout: STEP_WAIT_MS });
  check(`${what}: the table has one page of rows`, await page.locator('[data-testid=table-row]').count(), TABLE_ROWS);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByText(/^2 of /).waitFor({ timeout: STEP_WAIT_MS });
  await page.unroute('**/api/v1/topology');
  await page.unroute('**/api/v1/ports');
}
