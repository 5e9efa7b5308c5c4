// The chats that need no SDK: two browsers see each other.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch } from "../../admin/src/test/page/browser.mjs";
import { serving } from "../../sdk-node/test/support/serving.mjs";

for (const name of ["examples-node/chat.mjs", "examples-python/chat.py"]) {
  test(`${name} brings what one browser says to the other`, async (context) => {
    const file = fileURLToPath(new URL(`../../${name}`, import.meta.url));
    const { url, process } = await serving(context, [file]);
    const browsers = await Promise.all([launch(), launch()]);
    context.after(() => Promise.all(browsers.map((browser) => browser.close())));
    const pages = await Promise.all(browsers.map((browser) => browser.newPage()));
    for (const page of pages) {
      await page.goto(url);
      await page.waitForFunction(() => document.title === "Chat, open");
    }
    for (const [index, text] of ["grüße €😀", "<b>hello</b>"].entries()) {
      await pages[index].locator("input").fill(text);
      await pages[index].locator("input").press("Enter");
      for (const page of pages) await page.locator("li").nth(index).waitFor();
      for (const page of pages) assert.equal(await page.locator("li").nth(index).textContent(), text);
    }
    process.signal("SIGHUP");
    for (const page of pages) await page.waitForFunction(() => document.title === "Chat, closed with 1001");
    process.signal("SIGTERM");
    assert.equal(await process.ended(), 0);
    assert.doesNotMatch(process.output, /WARN(?! {2}the workers run as root)|Traceback/);
  });
}
