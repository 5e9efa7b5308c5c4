import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { ask, Load } from "./clients.mjs";
import { Handoff } from "./handoff.mjs";
import { close, figure, open, until, windowLine, workerRow } from "./pages.mjs";

const WORKERS = path.join(import.meta.dirname, "workers");
const CLOCK = path.join(import.meta.dirname, "../../../../examples-node/events.mjs");
const folder = mkdtempSync(path.join(tmpdir(), "handoff-page-"));
const file = path.join(folder, "handoff.json");

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Handoff} */
let handoff;

/** @param {Record<string, string>} environment of the workers of one pool */
function configure(environment) {
  const holds = ["node", path.join(WORKERS, "holds.mjs")];
  const pools = {
    api: { command: holds, workers: 2, environment, routes: [{ path: "/" }] },
    other: { command: holds, workers: 1, routes: [{ path: "/other" }] },
    clock: { command: ["node", CLOCK], workers: 1, routes: [{ path: "/events" }] },
  };
  writeFileSync(file, JSON.stringify({ port: 0, adminPort: 0, pools }));
}

before(async () => {
  configure({});
  browser = await launch();
  handoff = await Handoff.start("serve", "--config", file);
});

after(async () => {
  await browser?.close();
  await handoff?.stop();
  rmSync(folder, { recursive: true });
});

/** @param {string} pool */
async function workers(pool) {
  const { pools } = await handoff.read("workers");
  return pools.find((/** @type {{ name: string }} */ each) => each.name === pool).workers;
}

/** @param {string} pool */
async function pids(pool) {
  const found = await workers(pool);
  return found.map((/** @type {{ pid: number }} */ each) => each.pid);
}

test("figuresMoveUnderLoadAndThenAgreeWithStats", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const load = new Load(handoff.url, 4);
  await until(
    () => figure(opened.page, "rate").innerText(),
    (text) => Number(text.replaceAll(",", "")) > 10,
  );
  await until(
    () => figure(opened.page, "latency").innerText(),
    (text) => /[µm]s$/.test(text),
  );
  await load.stop();
  assert.notEqual(await agreedTotal(opened.page), "0");
  await until(
    () => figure(opened.page, "rate").innerText(),
    (text) => text === "0",
  );
  await close(opened);
});

test("theStuckRequestIsNamedAndItsWorkerDrainedByKeyboardAlone", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const { page } = opened;
  const leave = ask(new URL("/hold/the-stuck-one?secret=1", handoff.url).href);
  const row = page.locator("#requests-rows tr").filter({ hasText: "GET /hold/the-stuck-one" });
  await row.waitFor();
  assert.doesNotMatch(await row.innerText(), /secret/);
  const [request] = (await handoff.read("requests")).requests;
  const drain = `Drain worker ${request.worker}`;
  const before = await pids("api");
  for (let steps = 0; (await focused(page)) !== drain; steps++) {
    assert.ok(steps < 100, "Tab does not get there");
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await workerRow(page, request.worker).getByText("draining").waitFor();
  leave();
  const replaced = (/** @type {number[]} */ now) =>
    now.length === 2 && now.some((pid) => !before.includes(pid) && pid > 0);
  await until(() => pids("api"), replaced);
  await close(opened);
});

test("aTargetOfHostileTextIsShownAsText", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const target = "/hold/'-alert(1)-'&lt;img%20src=x%20onerror=alert(1)&gt;";
  const leave = ask(new URL(handoff.url).origin + target);
  await opened.page.getByText(`GET ${target}`, { exact: true }).waitFor();
  assert.equal(await opened.page.locator("main img").count(), 0);
  leave();
  await close(opened);
});

test("aResponseInPiecesIsShownWhileItIsUnderWay", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const [begun] = await windowLine(opened.page, "Streams");
  const leave = ask(new URL("/events", handoff.url).href);
  const row = opened.page.locator("#requests-rows tr").filter({ hasText: "GET /events" });
  await row.getByText("streaming", { exact: true }).waitFor();
  await until(
    () => windowLine(opened.page, "Streams"),
    ([now]) => Number(now) === Number(begun) + 1,
  );
  leave();
  await row.waitFor({ state: "detached" });
  await close(opened);
});

test("reloadReplacesTheWorkersOfItsPool", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const before = await pids("other");
  await opened.page.getByRole("button", { name: "Reload pool other" }).click();
  const after = await until(
    () => pids("other"),
    (now) => now.length === 1 && now[0] > 0 && now[0] !== before[0],
  );
  await opened.page.getByText(`pid ${after[0]}`).waitFor();
  await close(opened);
});

test("scaleStartsAsManyWorkersAsAskedFor", async () => {
  const opened = await open(browser, handoff.adminUrl);
  await opened.page.getByRole("button", { name: "Scale pool other" }).click();
  await opened.page.getByLabel("Workers", { exact: true }).fill("2");
  await opened.page.getByRole("button", { name: "Scale", exact: true }).click();
  await until(
    () => workers("other"),
    (now) => now.length === 2,
  );
  await opened.page.getByText("2 of 2").nth(1).waitFor();
  await close(opened);
});

test("killAsksFirst", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const { page } = opened;
  const [before] = await workers("api");
  await page.getByRole("button", { name: `Kill ${before.id}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  assert.ok((await pids("api")).includes(before.pid));
  await page.getByRole("button", { name: `Kill ${before.id}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Kill" }).click();
  await until(
    () => pids("api"),
    (now) => !now.includes(before.pid),
  );
  await close(opened);
});

test("resetBeginsAnewAndKeepsWhatWasBefore", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const total = await agreedTotal(opened.page);
  await opened.page.getByRole("button", { name: "Reset", exact: true }).click();
  await until(
    () => windowLine(opened.page, "Requests"),
    ([now, previous]) => now === "0" && previous === total,
  );
  await close(opened);
});

test("whatIsTurnedAwayOrFailsAppearsByItsReason", async () => {
  const opened = await open(browser, handoff.adminUrl);
  await handoff.read("stats/reset", { method: "POST" });
  await fetch(new URL("/fail/", handoff.url));
  await until(
    () => windowLine(opened.page, "5xx"),
    ([now]) => now.startsWith("1 "),
  );
  const answer = await fetch(handoff.url, { headers: { "x-long": "x".repeat(60_000) } });
  assert.equal(answer.status, 431);
  await opened.page.locator("#troubles-rows tr").filter({ hasText: "request refused" }).waitFor();
  await close(opened);
});

/** The requests of the window, once page and server say the same: to either a busy loop looks as it did before. @param {import("playwright-core").Page} page */
async function agreedTotal(page) {
  const [total] = await until(
    async () => {
      const { requests } = await handoff.read("stats");
      const [shown] = await windowLine(page, "Requests");
      return [requests.total.toLocaleString("en-US"), shown];
    },
    ([told, shown]) => told === shown,
  );
  return total;
}

/** What the focused element is called. @param {import("playwright-core").Page} page */
function focused(page) {
  return page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
}

test("aReplacedPoolIsShownUntilItHasFinished", async () => {
  const opened = await open(browser, handoff.adminUrl);
  const { page } = opened;
  const retiring = page.locator("#retiring");
  const leave = ask(new URL("/hold/the-last-one", handoff.url).href);
  const row = page.locator("#requests-rows tr").filter({ hasText: "GET /hold/the-last-one" });
  await row.waitFor();
  assert.equal(await retiring.isVisible(), false);
  configure({ VERSION: "2" });
  await handoff.read("reload", { method: "POST" });
  await retiring.getByText("draining").first().waitFor();
  await row.getByText("(retiring)").waitFor();
  assert.equal(await row.getByRole("button").isVisible(), false);
  leave();
  await retiring.waitFor({ state: "hidden" });
  await close(opened);
});
