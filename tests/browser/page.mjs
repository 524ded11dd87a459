// What the tests in a browser share.

/** How long a page may take for one step. */
export const STEP_WAIT_MS = 15_000;

/** Polls a condition until it holds, because the page may be slower than the server. */
export async function until(what, timeoutMs, probe) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const result = await probe();
    if (result !== null && result !== undefined && result !== false) return result;
    if (Date.now() > deadline) throw new Error(`${what} did not happen within ${timeoutMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** An attribute of every element that a selector finds. */
export const attributes = (page, selector, name) =>
  page.locator(selector).evaluateAll((all, of) => all.map((element) => element.getAttribute(of)), name);

/**
 * The hops whose pauses in the chart last less than the pause path says, or longer. Runs in the page. The text has three
 * significant digits; a row that says that records of pauses are missing is shorter.
 */
export function pausesThatDiffer() {
  const units = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };
  return [...document.querySelectorAll('[data-testid=hop]')].flatMap((hop) => {
    const [, number, unit] = /paused for (?:at least )?([\d.]+) (ns|µs|ms|s)\b/.exec(hop.textContent) ?? [];
    const row = [...document.querySelectorAll('[data-testid=pause-row]')].find(({ dataset }) => dataset.port === hop.dataset.port);
    if (number === undefined || !row || row.querySelector('[data-testid=unlisted]')) return [];
    const drawn = [...row.querySelectorAll('[data-known-ns]')].reduce((sum, { dataset }) => sum + Number(dataset.knownNs), 0);
    const said = Number(number) * units[unit];
    return Math.abs(drawn - said) <= 0.006 * said ? [] : [`${hop.dataset.port}: ${drawn} ns in the chart, ${number} ${unit} in the path`];
  });
}
