import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { launch } from "./browser.mjs";
import { Handoff } from "./handoff.mjs";
import { open, until } from "./pages.mjs";

const TOKEN = "sixteen-or-more-characters";
const folder = mkdtempSync(path.join(tmpdir(), "handoff-token-"));
const tokenFile = path.join(folder, "token");
const worker = path.join(import.meta.dirname, "workers", "holds.mjs");

/** @type {import("playwright-core").Browser} */
let browser;
/** @type {Handoff} */
let handoff;

/** @param {string} adminPort */
function start(adminPort) {
  const options = ["--port", "0", "--admin-port", adminPort, "--admin-token-file", tokenFile];
  return Handoff.start("run", ...options, worker);
}

before(async () => {
  writeFileSync(tokenFile, `${TOKEN}\n`, { mode: 0o600 });
  browser = await launch();
  handoff = await start("0");
});

after(async () => {
  await browser?.close();
  await handoff?.stop();
  rmSync(folder, { recursive: true });
});

test("theTokenIsAskedForAndKeptByTheTabAlone", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(handoff.adminUrl);
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Token" }).fill("not-the-right-one");
  await dialog.getByRole("button", { name: "Continue" }).click();
  await until(
    () => dialog.getByRole("textbox", { name: "Token" }).inputValue(),
    (value) => value === "",
  );
  await dialog.getByRole("textbox", { name: "Token" }).fill(TOKEN);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("serving", { exact: true }).first().waitFor();
  await page.reload();
  await page.locator(".pool").waitFor();
  assert.equal(await dialog.count(), 0);
  assert.deepEqual(await context.cookies(), []);
  const other = await context.newPage();
  await other.goto(handoff.adminUrl);
  await other.getByRole("dialog").waitFor();
  await context.close();
});

test("saysThatTheServerIsGoneAndComesBackByItself", async () => {
  const { page } = await open(browser, handoff.adminUrl);
  await page.getByRole("textbox", { name: "Token" }).fill(TOKEN);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.locator(".pool").waitFor();
  await handoff.stop();
  await page.getByRole("alert").getByText("has not responded since").waitFor();
  await page.getByText("no response", { exact: true }).waitFor();
  handoff = await start(new URL(handoff.adminUrl).port);
  await page.getByText("serving", { exact: true }).first().waitFor();
  await page.getByRole("alert").waitFor({ state: "hidden" });
  await page.close();
});

test("doesNotAskWhileNobodySeesIt", async () => {
  const page = await browser.newPage();
  await page.clock.install();
  await page.goto(handoff.adminUrl);
  await page.getByRole("textbox", { name: "Token" }).fill(TOKEN);
  await page.getByRole("button", { name: "Continue" }).click();
  await until(
    async () => {
      await page.clock.runFor(1000);
      return page.locator(".pool").count();
    },
    (pools) => pools > 0,
  );
  await turn(page, true);
  let asked = 0;
  page.on("request", () => asked++);
  await page.clock.runFor(10_000);
  assert.equal(asked, 0);
  await turn(page, false);
  await until(
    async () => asked,
    (requests) => requests > 0,
  );
  await page.close();
});

/** Hides or shows the page, as far as it can tell. @param {import("playwright-core").Page} page @param {boolean} hidden */
function turn(page, hidden) {
  return page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}
