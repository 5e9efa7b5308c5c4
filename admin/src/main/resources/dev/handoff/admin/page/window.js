// What was counted since the last reset, beside what the window before it had: a change, and what it changed.

import { Refused, read } from "./api.js";
import { byId, element, setText } from "./dom.js";
import { bytes, clock, count, duration, NONE, percent, rate, span } from "./format.js";
import { rejected, total } from "./history.js";
import * as operations from "./operations.js";

/** @import { Snapshot, Stats } from "./types.js" */

/** @type {[label: string, text: (stats: Stats) => string][]} */
const LINES = [
  ["Length", ({ window }) => span(window.seconds)],
  ["Requests", ({ requests }) => count(requests.total)],
  ["Per second", ({ requests }) => rate(requests.perSecond)],
  ["Latency, mean", ({ requests }) => duration(requests.latencyMillis.mean)],
  ["p50", ({ requests }) => duration(requests.latencyMillis.p50)],
  ["p90", ({ requests }) => duration(requests.latencyMillis.p90)],
  ["p99", ({ requests }) => duration(requests.latencyMillis.p99)],
  ["p99.9", ({ requests }) => duration(requests.latencyMillis["p99.9"])],
  ["max", ({ requests }) => duration(requests.latencyMillis.max)],
  ["4xx", ({ requests }) => part(requests.byStatus["4xx"], requests.total)],
  ["5xx", ({ requests }) => part(requests.byStatus["5xx"], requests.total)],
  ["Turned away", (stats) => count(rejected(stats))],
  ["Abandoned", ({ requests }) => count(total(requests.abandoned))],
  ["Streams", ({ streams }) => count(streams.begun)],
  ["WebSockets", ({ webSockets }) => count(webSockets.opened)],
  ["Received", ({ requests }) => bytes(requests.bytesIn)],
  ["Sent", ({ requests }) => bytes(requests.bytesOut)],
];

export class WindowTable {
  #cells = LINES.map(([label]) => {
    const [now, before] = [element("td", { class: "number" }), element("td", { class: "number" }, NONE)];
    byId("window-rows").append(element("tr", {}, element("th", { scope: "row" }, label), now, before));
    return { now, before };
  });
  #resetAt = "";

  constructor() {
    byId("reset").addEventListener("click", () => operations.reset());
  }

  /** @param {Snapshot} snapshot */
  update({ stats }) {
    const { resets, resetAt } = stats.window;
    const reset = resets > 0;
    setText(
      byId("window-note"),
      reset ? `at ${clock(resetAt)}` : `never yet; all since the start at ${clock(resetAt)}`,
    );
    this.#cells.forEach(({ now }, index) => {
      setText(now, LINES[index][1](stats));
    });
    if (resetAt !== this.#resetAt) {
      this.#resetAt = resetAt;
      if (reset) void this.#readBefore();
    }
  }

  /** Once for each reset, also for those that others make: that window does not change any more. */
  async #readBefore() {
    const before = await previous();
    this.#cells.forEach((cell, index) => {
      setText(cell.before, before === null ? NONE : LINES[index][1](before));
    });
  }
}

/** @returns {Promise<Stats | null>} null where there was no reset yet */
async function previous() {
  try {
    return await read("stats?window=previous");
  } catch (problem) {
    if (problem instanceof Refused) return null;
    throw problem;
  }
}

/** @param {number} some @param {number} all */
function part(some, all) {
  return some === 0 || all === 0 ? count(some) : `${count(some)} (${percent(some / all)})`;
}
