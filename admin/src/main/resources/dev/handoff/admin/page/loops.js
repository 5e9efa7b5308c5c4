// The event loops: how busy each is, and how long an event waits for its turn.

import { Bar, byId, element, setText } from "./dom.js";
import { count, duration, percent } from "./format.js";
import { Rows } from "./rows.js";

/** @import { Loop, Snapshot } from "./types.js" */

export class LoopTable {
  #rows = new Rows(byId("loops-rows"), (/** @type {Loop} */ loop) => String(loop.index), createRow);

  /** @param {Snapshot} snapshot */
  update({ stats }) {
    this.#rows.update(stats.loops);
  }
}

/** @param {Loop} loop */
function createRow(loop) {
  const busy = element("span");
  const bar = new Bar();
  const stuck = element("span", { class: "note" });
  const numbers = [0, 1, 2].map(() => element("td", { class: "number" }));
  const node = element(
    "tr",
    {},
    element("th", { scope: "row" }, String(loop.index), " ", stuck),
    element("td", { class: "gauge" }, busy, bar.node),
    ...numbers,
  );
  return {
    node,
    /** @param {Loop} now */
    update: (now) => {
      setText(stuck, now.responsive ? "" : "does not respond");
      setText(busy, percent(now.busyShare));
      bar.set(now.busyShare);
      [count(now.connections), duration(now.lagMillis.p99), duration(now.lagMillis.max)].forEach((text, index) => {
        setText(numbers[index], text);
      });
    },
  };
}
