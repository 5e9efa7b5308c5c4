// The pools, each with its workers below it when it is opened.

import { byId, element, setText, show } from "./dom.js";
import { several } from "./format.js";
import { matches } from "./order.js";
import { Rows } from "./rows.js";
import { Summary } from "./summary.js";
import { WorkerTable } from "./workers.js";

/** @import { Pool, Snapshot, Worker } from "./types.js" */
/** @import { Order } from "./order.js" */

/** @typedef {Pool & { all: Worker[], found: Worker[], open: boolean }} Shown */

/** With more workers than this the pools are closed at first, so that all of them are in sight. */
const OPEN_AT_FIRST = 16;

export class PoolTable {
  /** What the reader opened or closed; the others follow the rule. @type {Map<string, boolean>} */
  #chosen = new Map();
  #filter = /** @type {HTMLInputElement} */ (byId("filter"));
  #expand = byId("expand");
  /** @type {Order} */
  #order = { by: "worker", descending: false };
  /** @type {Snapshot | null} */
  #last = null;
  /** @type {Shown[]} */
  #shown = [];
  #rows = new Rows(
    byId("pools-table"),
    (/** @type {Shown} */ pool) => pool.name,
    (pool) => this.#createRow(pool.name),
  );

  constructor() {
    this.#filter.addEventListener("input", () => this.#show());
    this.#expand.addEventListener("click", () => this.#openAll(!this.#shown.every((pool) => pool.open)));
  }

  /** @param {Snapshot} snapshot */
  update(snapshot) {
    this.#last = { ...snapshot, workers: snapshot.workers ?? this.#last?.workers ?? null };
    this.#show();
  }

  #show() {
    if (this.#last === null) return;
    const sought = this.#filter.value.trim();
    const workers = new Map(this.#last.workers?.pools.map((pool) => [pool.name, pool.workers]));
    const number = [...workers.values()].flat().length;
    this.#shown = this.#last.stats.pools
      .map((pool) => {
        const all = workers.get(pool.name) ?? [];
        const found = sought === "" ? all : all.filter((worker) => matches(worker, pool.name, sought));
        const open = this.#chosen.get(pool.name) ?? (sought !== "" || number <= OPEN_AT_FIRST);
        return { ...pool, all, found, open };
      })
      .filter((pool) => sought === "" || pool.found.length > 0);
    this.#rows.update(this.#shown);
    show(byId("pools-none"), this.#shown.length === 0);
    setText(byId("pools-note"), `${several(this.#last.stats.pools.length, "pool")}, ${several(number, "worker")}`);
    setText(this.#expand, this.#shown.every((pool) => pool.open) ? "Hide workers" : "Show all workers");
  }

  /** @param {boolean} open */
  #openAll(open) {
    for (const pool of this.#shown) this.#chosen.set(pool.name, open);
    this.#show();
  }

  /** @param {Order} order */
  #sortBy(order) {
    this.#order = order;
    this.#show();
  }

  /** @param {string} name */
  #createRow(name) {
    const summary = new Summary(name, () => {
      const pool = this.#shown.find((each) => each.name === name);
      this.#chosen.set(name, !pool?.open);
      this.#show();
    });
    const table = new WorkerTable(name, (order) => this.#sortBy(order));
    const below = element("tr", { class: "below" }, element("td", { colspan: "10" }, table.node));
    const node = element("tbody", { class: "pool" }, summary.node, below);
    return {
      node,
      /** @param {Shown} pool */
      update: (pool) => {
        summary.update(pool);
        show(below, pool.open);
        if (pool.open) table.update(pool.found, this.#order);
      },
    };
  }
}
