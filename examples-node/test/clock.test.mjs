// The clocks that need no SDK: a browser sees them tick, and finds the next worker when theirs is replaced.
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../../admin/src/test/page/browser.mjs";
import { serving } from "../../sdk-node/test/support/serving.mjs";

for (const name of ["examples-node/events.mjs", "examples-python/events.py"]) {
  test(`${name} shows a browser a clock that goes on`, async (context) => {
    const file = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    const { url, process } = await serving(context, [file]);
    const browser = await launch();
    context.after(() => browser.close());
    const page = await browser.newPage();
    await page.goto(url);
    await seesItTick(page);
    process.signal("SIGHUP"); // The worker is replaced: its clocks end, and the browser comes again.
    await process.told(/reload: done/);
    await seesItTick(page);
  });
}

/** Waits for two times that were not shown before. @param {import("playwright-core").Page} page */
async function seesItTick(page) {
  for (let ticks = 0; ticks < 2; ticks++) {
    const before = await page.locator("h1").textContent();
    await page.waitForFunction((before) => {
      const now = document.querySelector("h1").textContent;
      return now !== before && /\d\d:\d\d:\d\d$/.test(now);
    }, before);
  }
}
