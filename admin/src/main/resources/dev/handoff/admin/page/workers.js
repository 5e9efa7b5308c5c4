// The workers of one pool. The headings sort.

import { button, element, setAttribute, setText, show } from "./dom.js";
import { bytes, count, duration, NONE, span } from "./format.js";
import { Gauge } from "./gauge.js";
import * as operations from "./operations.js";
import { sorted, turned } from "./order.js";
import { Rows } from "./rows.js";

/** @import { Order } from "./order.js" */
/** @import { Worker } from "./types.js" */

/** @type {[by: string, label: string, look: string][]} */
const COLUMNS = [
  ["worker", "Worker", ""],
  ["state", "State", ""],
  ["inFlight", "In flight", ""],
  ["oldest", "Oldest request", "number"],
  ["requests", "Requests", "number"],
  ["failures", "Failures", "number wide"],
  ["cancels", "Cancels", "number widest"],
  ["late", "Late", "number widest"],
  ["restarts", "Restarts", "number wide"],
  ["memory", "Memory", "number wide"],
  ["age", "Age", "number wide"],
];

export class WorkerTable {
  #headings;
  #rows;
  #none = element("p", { class: "none" }, "It has no workers.");
  /** @type {Order} */
  #order = { by: "", descending: false };

  /** @param {string} pool @param {(order: Order) => void} sortBy */
  constructor(pool, sortBy) {
    this.#headings = COLUMNS.map(([by, label, look]) => {
      const heading = element("th", { scope: "col", class: look });
      heading.append(button(label, () => sortBy(turned(this.#order, by)), { class: "sort" }));
      return heading;
    });
    const actions = element("th", { scope: "col" }, element("span", { class: "unseen" }, "Actions"));
    const head = element("thead", {}, element("tr", {}, ...this.#headings, actions));
    const table = element("table", { class: "workers", "aria-label": `Workers of pool ${pool}` }, head);
    this.#rows = new Rows(
      table,
      (/** @type {Worker} */ worker) => worker.id,
      (worker) => createRow(worker.id),
    );
    this.node = element("div", {}, table, this.#none);
  }

  /** @param {Worker[]} workers @param {Order} order */
  update(workers, order) {
    this.#order = order;
    this.#headings.forEach((heading, index) => {
      const direction = order.descending ? "descending" : "ascending";
      setAttribute(heading, "aria-sort", order.by === COLUMNS[index][0] ? direction : "none");
    });
    this.#rows.update(sorted(workers, order));
    show(this.#none, workers.length === 0);
  }
}

/** @param {string} id */
function createRow(id) {
  let inFlight = 0;
  const name = element("span", { class: "name" });
  const about = element("span", { class: "note" });
  const error = element("td", { class: "error", colspan: "6" });
  const failed = element("tr", { class: "failed" }, error);
  const state = element("span", { class: "badge" });
  const gauge = new Gauge();
  const numbers = COLUMNS.slice(3).map(([, , look]) => element("td", { class: look }));
  const node = element(
    "tr",
    {},
    element("th", { scope: "row" }, name, " ", about),
    element("td", {}, state),
    gauge.node,
    ...numbers,
    element(
      "td",
      { class: "actions" },
      button("Drain", () => operations.drain(id), { "aria-label": `Drain ${id}` }),
      button("Kill", () => operations.kill(id, inFlight), { "aria-label": `Kill ${id}`, class: "danger" }),
    ),
  );

  /** @param {Worker} worker */
  const update = (worker) => {
    inFlight = worker.inFlight;
    setText(name, worker.id);
    setText(
      about,
      [worker.name !== worker.id ? worker.name : "", worker.pid > 0 ? `pid ${worker.pid}` : "", worker.host]
        .filter(Boolean)
        .join(" · "),
    );
    setText(error, worker.lastError);
    show(failed, worker.lastError !== "");
    setText(state, worker.state);
    state.dataset.state = worker.state;
    gauge.set(worker.inFlight, worker.concurrency);
    texts(worker).forEach((text, index) => {
      setText(numbers[index], text);
    });
  };
  return { node: element("tbody", {}, node, failed), update };
}

/** In the order of the columns from the fourth. @param {Worker} worker */
function texts(worker) {
  return [
    worker.inFlight === 0 ? NONE : duration(worker.oldestRequestMillis),
    count(worker.requests),
    count(worker.failures),
    count(worker.cancels),
    count(worker.lateResponses),
    count(worker.restarts),
    worker.memoryBytes > 0 ? bytes(worker.memoryBytes) : NONE,
    span(worker.ageSeconds),
  ];
}
