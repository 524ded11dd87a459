// The checks that every view of the dashboard gets, and the list of what failed.

import axe from 'axe-core';

export const failures = [];

export function check(what, actual, expected) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a === b) console.error(`ok      ${what}`);
  else failures.push(`${what}: is ${a}, expected ${b}`);
}

export async function rest(page, path) {
  const response = await page.request.get(path);
  if (!response.ok()) throw new Error(`GET ${path}: ${response.status()} ${await response.text()}`);
  return response.json();
}

/** Rules of accessibility, WCAG 2.2 AA and best practice, for the page that is shown. */
export async function checkAccessible(page, what) {
  // The driver evaluates this outside of the page's content security policy.
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await globalThis.axe.run(document, { runOnly: tags });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  });
  check(`${what}: accessible`, found, []);
}

/** On a phone nothing leaves the screen sideways. */
export async function checkNarrow(page, what) {
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`${what}: fits into 390 px`, wide, 0);
  await page.setViewportSize(size);
}

/** A laptop and a phone. */
export const SIZES = [{ width: 1280, height: 800 }, { width: 390, height: 844 }];

/** The page that is shown is accessible at the width of a laptop and of a phone, in both themes. */
export async function checkEverywhere(page, what) {
  const before = page.viewportSize();
  for (const colours of ['', ' in the other colours']) {
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await checkAccessible(page, `${what}, ${size.width} px${colours}`);
    }
    await page.setViewportSize(before);
    // The second time brings the first theme back.
    await page.getByRole('button', { name: /^Change to / }).click();
  }
}

/** All of the above for a view. */
export async function checkView(page, what, picture) {
  await checkNarrow(page, what);
  await page.screenshot({ path: picture.replace(/\.png$/, '-first.png') });
  await page.getByRole('button', { name: /^Change to / }).click();
  await page.screenshot({ path: picture });
  await page.getByRole('button', { name: /^Change to / }).click();
  await checkEverywhere(page, what);
}
