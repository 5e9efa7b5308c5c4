// The line of one pool: what it does at the moment, and what can be done with it.

import { button, element, setAttribute, setText } from "./dom.js";
import { count, duration, rate } from "./format.js";
import { Gauge } from "./gauge.js";
import { total } from "./history.js";
import * as operations from "./operations.js";

/** @import { Pool } from "./types.js" */

export class Summary {
  #toggle;
  #mark = element("span", { class: "turn", "aria-hidden": "true" });
  #state = element("span", { class: "badge" });
  #workers = element("td");
  #inFlight = new Gauge();
  #queue = new Gauge();
  #numbers = [0, 1, 2, 3].map(() => element("td", { class: "number wide" }));
  #number = 0;

  /** @param {string} name @param {() => void} toggled */
  constructor(name, toggled) {
    this.#toggle = button("", toggled, { class: "toggle" });
    this.#toggle.append(this.#mark, element("span", { class: "name" }, name));
    const reload = button("Reload", () => operations.reload(name), { "aria-label": `Reload pool ${name}` });
    const scale = button("Scale", () => operations.scale(name, this.#number), { "aria-label": `Scale pool ${name}` });
    this.node = element(
      "tr",
      {},
      element("th", { scope: "row" }, this.#toggle),
      element("td", {}, this.#state),
      this.#workers,
      this.#inFlight.node,
      this.#queue.node,
      ...this.#numbers,
      element("td", { class: "actions" }, reload, scale),
    );
  }

  /** @param {Pool & { open: boolean }} pool */
  update(pool) {
    this.#number = total(pool.workers);
    setAttribute(this.#toggle, "aria-expanded", String(pool.open));
    const state = pool.overloaded ? "overloaded" : pool.workers.ready === 0 ? "no worker" : pool.state;
    setText(this.#state, state);
    this.#state.dataset.state = state;
    setText(this.#workers, `${pool.workers.ready} of ${this.#number}`);
    this.#inFlight.set(pool.inFlight, pool.concurrency);
    this.#queue.set(pool.queue.depth, pool.queue.limit);
    [
      rate(pool.recent.requestsPerSecond),
      duration(pool.recent.waitMillis.p99),
      duration(pool.recent.handlerMillis.p99),
      count(total(pool.rejected)),
    ].forEach((text, index) => {
      setText(this.#numbers[index], text);
    });
  }
}
