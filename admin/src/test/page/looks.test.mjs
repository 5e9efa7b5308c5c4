import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { ask } from "./clients.mjs";
import { join } from "./crowd.mjs";
import { Handoff } from "./handoff.mjs";
import { close, open, until } from "./pages.mjs";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const MARKUP = "<img src=x onerror=\"document.title='broken into'\">";
const POOLS = Array.from({ length: 10 }, (_, index) => `pool-${index}`);
const folder = mkdtempSync(path.join(tmpdir(), "handoff-looks-"));

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Handoff} */
let handoff;
/** @type {(() => void)[]} */
const leaving = [];

before(async () => {
  const file = path.join(folder, "handoff.json");
  const socket = path.join(folder, "workers");
  /** @type {Record<string, object>} */
  const pools = Object.fromEntries(POOLS.map((name) => [name, { routes: [{ path: `/${name}` }] }]));
  const command = ["node", path.join(import.meta.dirname, "workers", "dies_telling_markup.mjs")];
  pools.dies = { command, workers: 1, routes: [{ path: "/dies" }] };
  writeFileSync(file, JSON.stringify({ port: 0, adminPort: 0, socket, pools }));
  browser = await launch();
  handoff = await Handoff.start("serve", "--config", file);
  for (const pool of POOLS) {
    leaving.push(
      await join(
        socket,
        pool,
        Array.from({ length: pool === "pool-3" ? 10 : 6 }, (_, i) => `${MARKUP}${i}`),
      ),
    );
    leaving.push(ask(new URL(`/${pool}/held`, handoff.url).href));
  }
});

after(async () => {
  await browser?.close();
  for (const leave of leaving) leave();
  await handoff?.stop();
  rmSync(folder, { recursive: true });
});

test("sixtyFourWorkersInElevenPoolsAreFoundByNameAndPool", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const { page } = opened;
  await until(
    () => page.locator(".pool").count(),
    (pools) => pools === POOLS.length + 1,
  );
  assert.equal(await page.locator(".workers tbody:visible").count(), 0);
  await page.getByLabel("Find").fill("pool-3");
  await until(
    () => page.locator(".workers tbody:visible").count(),
    (workers) => workers === 10,
  );
  await page.getByLabel("Find").fill("");
  await page.getByRole("button", { name: "pool-4", exact: true }).click();
  await until(
    () => page.locator(".workers tbody:visible").count(),
    (workers) => workers === 6,
  );
  await showAll(page);
  await until(
    () => page.locator(".workers tbody:visible").count(),
    (workers) => workers >= 64,
  );
  await close(opened);
});

test("whatWorkersCallThemselvesAndTheirLastWordsAreShownAsText", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const { page } = opened;
  await showAll(page);
  await page.getByText(`${MARKUP}9`).waitFor();
  await page.locator(".failed:visible").filter({ hasText: "<script>" }).waitFor();
  assert.equal(await page.locator("main img, main script").count(), 0);
  assert.doesNotMatch(await page.title(), /broken/);
  await close(opened);
});

for (const width of [360, 480, 801, 1024, 1280]) {
  test(`nothingScrollsSidewaysAt${width}`, async () => {
    const opened = await open(browser, handoff.adminUrl, { viewport: { width, height: 800 } });
    const { page } = opened;
    await showAll(page);
    await page.locator(".workers tbody:visible").first().waitFor();
    assert.deepEqual(await page.evaluate(beyondTheEdge), []);
    await close(opened);
  });
}

for (const colorScheme of /** @type {("light" | "dark")[]} */ (["light", "dark"])) {
  for (const width of [1360, 360]) {
    test(`axeFindsNothingToMend_${colorScheme}_${width}`, async () => {
      const opened = await open(browser, handoff.adminUrl, { colorScheme, viewport: { width, height: 900 } });
      const { page } = opened;
      await page.getByRole("button", { name: "pool-3", exact: true }).click();
      await page.locator(".workers tbody:visible").first().waitFor();
      await page.evaluate(await readFile(AXE, "utf8"));
      const violations = await page.evaluate(async () => {
        const { violations } = await /** @type {any} */ (globalThis).axe.run();
        return violations.map(
          (/** @type {any} */ each) =>
            `${each.id}: ${each.nodes.map((/** @type {any} */ node) => node.html).slice(0, 3)}`,
        );
      });
      assert.deepEqual(violations, []);
      await close(opened);
    });
  }
}

test("theThemeCanBeChosenAndIsKept", async () => {
  const opened = await open(browser, handoff.adminUrl, { colorScheme: "light" });
  const { page } = opened;
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  // The button is there before the script that hears it.
  await page.locator(".pool").first().waitFor();
  await page.getByRole("button", { name: "Theme: system" }).click();
  await page.getByRole("button", { name: "Theme: light" }).click();
  await page.getByRole("button", { name: "Theme: dark" }).waitFor();
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  assert.equal(await paper(), dark);
  await close(opened);
});

/** Before the first answer there is nothing to show. @param {import("playwright-core").Page} page */
async function showAll(page) {
  await page.locator(".pool").first().waitFor();
  await page.getByRole("button", { name: "Show all workers" }).click();
}

/** In the page: what makes it wider than its window. */
function beyondTheEdge() {
  if (document.documentElement.scrollWidth === innerWidth) return [];
  const all = [...document.querySelectorAll("body *")];
  return all
    .filter((node) => node.getBoundingClientRect().right > innerWidth)
    .map((node) => node.outerHTML.slice(0, 80));
}
