// The dashboard in a browser, and what a reader finds on it.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

/** @import { Browser, BrowserContextOptions, Page } from "playwright-core" */

/** A slow machine under load takes its time for a poll. */
const PATIENCE_MILLIS = 60_000;
const LOOK_AGAIN_MILLIS = 50;

/**
 * Opens the page and collects what it must not do: write errors, break its own policy, ask another host.
 *
 * @param {Browser} browser @param {string} url @param {BrowserContextOptions} options
 */
export async function open(browser, url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 }, ...options });
  page.setDefaultTimeout(PATIENCE_MILLIS);
  const faults = watched(page, new URL(url).origin);
  await page.goto(url);
  return { page, faults };
}

/** Closes it after a test in which it must have behaved. @param {{ page: Page, faults: string[] }} opened */
export async function close({ page, faults }) {
  const seen = [...faults];
  await page.close();
  assert.deepEqual(seen, []);
}

/** @param {Page} page @param {string} origin */
function watched(page, origin) {
  /** @type {string[]} */
  const faults = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(String(error.stack)));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`asked ${request.url()}`);
  });
  return faults;
}

/** Waits until `holds` is true of what `read` finds. @template T @param {() => Promise<T>} read @param {(found: T) => boolean} holds @returns {Promise<T>} */
export async function until(read, holds) {
  const deadline = Date.now() + PATIENCE_MILLIS;
  for (;;) {
    const found = await read();
    if (holds(found)) return found;
    assert.ok(Date.now() < deadline, `still ${JSON.stringify(found)}`);
    await pause(LOOK_AGAIN_MILLIS);
  }
}

/** The figure of a chart. @param {Page} page @param {string} chart */
export function figure(page, chart) {
  return page.locator(`[data-chart="${chart}"] [data-figure]`);
}

/** The row of a worker. @param {Page} page @param {string} worker */
export function workerRow(page, worker) {
  return page.locator(".workers tbody").filter({ has: page.getByText(worker, { exact: true }) });
}

/** A line of the table of the windows: now, and before the reset. @param {Page} page @param {string} label @returns {Promise<string[]>} */
export function windowLine(page, label) {
  const row = page
    .locator("#window-rows tr")
    .filter({ has: page.getByRole("rowheader", { name: label, exact: true }) });
  return row.locator("td").allTextContents();
}
