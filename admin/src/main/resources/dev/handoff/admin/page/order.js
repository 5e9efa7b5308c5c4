// Which workers are shown, and in which order.

/** @import { Worker } from "./types.js" */

/** @typedef {{ by: string, descending: boolean }} Order */

/** Names with numbers in them as people count: default-2 before default-10. */
const NAMES = new Intl.Collator("en", { numeric: true });

/** @type {Record<string, (worker: Worker) => number | string>} */
const KEYS = {
  worker: (worker) => worker.id,
  state: (worker) => worker.state,
  inFlight: (worker) => worker.inFlight,
  requests: (worker) => worker.requests,
  failures: (worker) => worker.failures,
  cancels: (worker) => worker.cancels,
  late: (worker) => worker.lateResponses,
  restarts: (worker) => worker.restarts,
  memory: (worker) => worker.memoryBytes,
  age: (worker) => worker.ageSeconds ?? -1,
  oldest: (worker) => worker.oldestRequestMillis ?? -1,
};

/** @param {Worker[]} workers @param {Order} order @returns {Worker[]} */
export function sorted(workers, order) {
  const key = KEYS[order.by];
  const sign = order.descending ? -1 : 1;
  return workers.toSorted((a, b) => sign * compare(key(a), key(b)) || NAMES.compare(a.id, b.id));
}

/** The order after a click on a heading: names from A on, numbers from the largest. @param {Order} order @param {string} by */
export function turned(order, by) {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: by !== "worker" && by !== "state" };
}

/**
 * Whether each word of `sought` is in something that identifies the worker.
 *
 * @param {Worker} worker @param {string} pool @param {string} sought
 */
export function matches(worker, pool, sought) {
  const text = [worker.id, worker.name, worker.pid, worker.state, worker.lastError, pool].join(" ").toLowerCase();
  return sought
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** @param {number | string} a @param {number | string} b */
function compare(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : NAMES.compare(String(a), String(b));
}
