// What the buttons do. The tables show the result with the next polls.

import { post, Refused } from "./api.js";
import { askedWorkers, confirmed } from "./dialogs.js";
import { several } from "./format.js";
import { notice } from "./notices.js";

/** @param {string} worker */
export function drain(worker) {
  return told(`workers/${encodeURIComponent(worker)}/drain`, {}, `${worker} finishes its requests and leaves.`);
}

/** @param {string} worker @param {number} inFlight */
export async function kill(worker, inFlight) {
  const loss =
    inFlight === 0 ? "It holds no request." : `It holds ${several(inFlight, "request")}; their clients get a 502.`;
  if (!(await confirmed(`Kill ${worker}?`, loss, "Kill"))) return;
  await told(`workers/${encodeURIComponent(worker)}/kill`, {}, `${worker} was killed.`);
}

/** @param {string} pool */
export function reload(pool) {
  return told(`pools/${encodeURIComponent(pool)}/reload`, {}, `Pool ${pool} replaces its workers, one by one.`);
}

/** @param {string} pool @param {number} now how many workers it has */
export async function scale(pool, now) {
  const workers = await askedWorkers(pool, now);
  if (workers === null || workers === now) return;
  await told(
    `pools/${encodeURIComponent(pool)}/scale`,
    { workers },
    `Pool ${pool} goes to ${several(workers, "worker")}.`,
  );
}

export function reset() {
  return told("stats/reset", {}, "Counting begins anew.");
}

/** @param {string} path @param {object} body @param {string} done @returns {Promise<any>} the server's response, or null */
async function told(path, body, done) {
  try {
    const response = await post(path, body);
    notice(done);
    return response;
  } catch (problem) {
    notice(problem instanceof Refused ? problem.message : "The server did not respond.", "bad");
    return null;
  }
}
