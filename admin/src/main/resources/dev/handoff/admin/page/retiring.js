// The workers of pools that a reload removed or replaced: they finish what they have, and can be told nothing more.

import { byId, element, setText, show } from "./dom.js";
import { count, duration, NONE, several } from "./format.js";
import { Rows } from "./rows.js";

/** @import { Snapshot, Worker } from "./types.js" */

/** @typedef {Worker & { pool: string, key: string }} Shown */

export class RetiringTable {
  #section = byId("retiring");
  #rows = new Rows(byId("retiring-rows"), (/** @type {Shown} */ worker) => worker.key, createRow);

  /** @param {Snapshot} snapshot */
  update({ workers }) {
    if (workers === null) return;
    const pools = workers.retiring;
    this.#rows.update(
      // Pools of one name can retire at once, and so can workers of one id.
      pools.flatMap((pool, index) =>
        pool.workers.map((worker) => ({ ...worker, pool: pool.name, key: `${index} ${worker.id} ${worker.pid}` })),
      ),
    );
    const waiting = pools.reduce((sum, pool) => sum + pool.queued, 0);
    setText(byId("retiring-note"), `${several(pools.length, "pool")}${waiting > 0 ? `, ${count(waiting)} waiting` : ""}`);
    show(this.#section, pools.length > 0);
  }
}

function createRow() {
  const name = element("span", { class: "name" });
  const pid = element("span", { class: "note" });
  const pool = element("td");
  const state = element("span", { class: "badge" });
  const inFlight = element("td", { class: "number" });
  const oldest = element("td", { class: "number" });
  const node = element(
    "tr",
    {},
    element("th", { scope: "row" }, name, " ", pid),
    pool,
    element("td", {}, state),
    inFlight,
    oldest,
  );

  /** @param {Shown} worker */
  const update = (worker) => {
    setText(name, worker.id);
    setText(pid, worker.pid > 0 ? `pid ${worker.pid}` : "");
    setText(pool, worker.pool);
    setText(state, worker.state);
    state.dataset.state = worker.state;
    setText(inFlight, count(worker.inFlight));
    setText(oldest, worker.inFlight === 0 ? NONE : duration(worker.oldestRequestMillis));
  };
  return { node, update };
}
