// The requests that failed, by reason. A reason appears when it happens for the first time.

import { byId, element, setText, show } from "./dom.js";
import { count, words } from "./format.js";
import { Rows } from "./rows.js";

/** @import { Counts, Snapshot, Stats } from "./types.js" */

/** @typedef {{ kind: string, reason: string, number: number }} Trouble */

/** Ends that somebody asked for. */
const WANTED = ["drained", "stopped", "complete"];

/** Close codes that say nothing is wrong; 3xxx and 4xxx are the application's. */
const GOOD_CODES = ["1000", "1001", "1005", "3xxx", "4xxx"];

/** @param {Stats} stats @returns {Trouble[]} the most frequent first */
export function troubles(stats) {
  const { requests, streams, webSockets, refusedRequests, pools, buffers, spool } = stats;
  return [
    ...listed("request refused", refusedRequests),
    ...pools.flatMap((pool) => [
      ...listed(`turned away by ${pool.name}`, pool.rejected),
      ...listed(`cancelled in ${pool.name}`, pool.requests.cancelled),
      ...listed(`worker of ${pool.name} ended`, pool.exits).filter(({ reason }) => !WANTED.includes(reason)),
      ...listed(`in ${pool.name}`, {
        "lost with their worker": pool.requests.lost,
        "handler failed": pool.requests.failures,
      }),
    ]),
    ...listed("response abandoned", requests.abandoned),
    ...listed("stream ended", streams.ended).filter(({ reason }) => !WANTED.includes(reason)),
    ...listed("WebSocket closed with", webSockets.closed).filter(({ reason }) => !GOOD_CODES.includes(reason)),
    ...listed("response", { "that breaks HTTP": requests.badResponses }),
    ...listed("buffers", { full: buffers.full }),
    ...listed("spool", { full: spool.full }),
  ].sort((a, b) => b.number - a.number);
}

export class TroubleTable {
  #rows = new Rows(byId("troubles-rows"), (/** @type {Trouble} */ { kind, reason }) => `${kind} ${reason}`, createRow);

  /** @param {Snapshot} snapshot */
  update({ stats }) {
    const found = troubles(stats);
    this.#rows.update(found);
    show(byId("troubles-none"), found.length === 0);
  }
}

/** @param {Trouble} trouble */
function createRow({ kind, reason }) {
  const number = element("td", { class: "number" });
  const node = element(
    "tr",
    {},
    element("th", { scope: "row" }, words(reason), " ", element("span", { class: "note" }, kind)),
    number,
  );
  return {
    node,
    /** @param {Trouble} trouble */
    update: (trouble) => setText(number, count(trouble.number)),
  };
}

/** @param {string} kind @param {Counts} counts @returns {Trouble[]} */
function listed(kind, counts) {
  return Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([reason, number]) => ({ kind, reason, number }));
}
