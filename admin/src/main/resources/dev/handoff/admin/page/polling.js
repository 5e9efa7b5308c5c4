// Asks the server once a second what it does, and notices when it does not respond. A hidden page does not ask.

import { Refused, read } from "./api.js";

/** @import { Snapshot } from "./types.js" */

const PERIOD_MILLIS = 1000;
const SHOWN_REQUESTS = 100;

/**
 * @typedef {object} Watcher
 * @property {(snapshot: Snapshot) => void} seen
 * @property {(since: Date) => void} gone no response; called again with every attempt
 * @property {(refusal: Refused) => Promise<void>} refused the server asks for a token; resolved when there is one
 */

/** @param {Watcher} watcher */
export async function poll(watcher) {
  let answered = new Date();
  for (;;) {
    await visible();
    const begun = performance.now();
    try {
      watcher.seen(await snapshot());
      answered = new Date();
    } catch (problem) {
      if (problem instanceof Refused && problem.status === 401) await watcher.refused(problem);
      else watcher.gone(answered);
    }
    await pause(PERIOD_MILLIS - (performance.now() - begun));
  }
}

/** @returns {Promise<Snapshot>} */
async function snapshot() {
  const [stats, workers, requests] = await Promise.allSettled([
    read("stats"),
    read("workers"),
    read(`requests?limit=${SHOWN_REQUESTS}`),
  ]);
  if (stats.status === "rejected") throw stats.reason;
  return {
    stats: stats.value,
    workers: told(workers),
    requests: told(requests),
    trouble: troubleOf(workers, requests),
  };
}

/** @param {PromiseSettledResult<any>} result */
function told(result) {
  return result.status === "fulfilled" ? result.value : null;
}

/** Why the server could not tell a part. @param {PromiseSettledResult<any>[]} results */
function troubleOf(...results) {
  const failed = results.find((result) => result.status === "rejected");
  return failed === undefined ? "" : `Not all could be read: ${failed.reason.message}`;
}

/** @returns {Promise<void>} at once where the page is seen */
function visible() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((resolve) => {
    document.addEventListener("visibilitychange", () => resolve(visible()), { once: true });
  });
}

/** @param {number} millis @returns {Promise<void>} */
function pause(millis) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, millis)));
}
