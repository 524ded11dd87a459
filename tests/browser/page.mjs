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
