// What an operator should look at first, in sentences, worst first.

import { secondsLeft, validity } from "./certificates.js";
import { percent, several, span } from "./format.js";
import { urgency } from "./urgency.js";

/** @import { Loop, Pool, Snapshot, Stats } from "./types.js" */

/** @typedef {{ severity: "bad" | "warn", text: string, at: string }} Concern `at` is the part of the page that tells more */

const NEARLY_FULL = 0.8;
const MANY_ERRORS = 0.01;
const MOST_OF_TARGET = 60;

/** @param {Snapshot} snapshot @returns {Concern[]} */
export function concerns({ stats, requests, trouble }) {
  const all = [
    ...serverConcerns(stats),
    ...stats.loops.filter((loop) => !loop.responsive).map(stuckLoop),
    ...stats.pools.flatMap(poolConcerns),
    ...certificateConcerns(stats),
    ...requestConcerns(requests?.requests ?? []),
  ];
  if (trouble) all.push(bad(trouble, "pools"));
  return [...all.filter((each) => each.severity === "bad"), ...all.filter((each) => each.severity === "warn")];
}

/** @param {Stats} stats */
function serverConcerns({ server, connections, limits, buffers, spool, recent }) {
  const found = [];
  if (server.state === "draining")
    found.push(warn("The server is draining: it finishes what it has and ends.", "pools"));
  if (connections.acceptPaused) {
    found.push(
      bad(`No connection is accepted at the moment: ${connections.open} of ${limits.connections} are open.`, "loops"),
    );
  }
  if (buffers.bytes > NEARLY_FULL * buffers.limitBytes) {
    found.push(warn(`Buffers hold ${share(buffers.bytes, buffers.limitBytes)} of what they may.`, "troubles"));
  }
  if (spool.bytes > NEARLY_FULL * spool.limitBytes) {
    found.push(warn(`Large requests fill ${share(spool.bytes, spool.limitBytes)} of their files' space.`, "troubles"));
  }
  const failing = recent.requestsPerSecond > 0 ? recent.errorsPerSecond / recent.requestsPerSecond : 0;
  if (failing > MANY_ERRORS) found.push(warn(`${percent(failing)} of the latest requests failed (5xx).`, "troubles"));
  return found;
}

/** @param {Loop} loop */
function stuckLoop(loop) {
  return bad(`Event loop ${loop.index} does not respond; its figures are old.`, "loops");
}

/** @param {Pool} pool */
function poolConcerns({ name, state, workers, queue, overloaded, lastError }) {
  const found = [];
  if (state === "draining") found.push(warn(`Pool ${name} is draining.`, "pools"));
  else if (workers.ready === 0) found.push(bad(`Pool ${name} has no ready worker.`, "pools"));
  if (workers.waiting > 0) {
    found.push(warn(`Pool ${name}: ${several(workers.waiting, "worker")} failed and will be started again.`, "pools"));
  }
  if (queue.depth >= queue.limit) found.push(bad(`The queue of pool ${name} is full: ${queue.depth} wait.`, "pools"));
  else if (overloaded)
    found.push(warn(`Pool ${name} gets more requests than its workers can serve; ${queue.depth} wait.`, "pools"));
  else if (queue.depth > NEARLY_FULL * queue.limit) {
    found.push(warn(`The queue of pool ${name} is ${share(queue.depth, queue.limit)} full.`, "pools"));
  }
  if (lastError) found.push(warn(`A worker of pool ${name} failed: ${lastError}`, "pools"));
  return found;
}

/** @param {Stats} stats */
function certificateConcerns(stats) {
  return stats.tls.certificates.flatMap((certificate) => {
    const seconds = secondsLeft(certificate, stats);
    const state = validity(seconds);
    if (state === "valid") return [];
    return state === "expired"
      ? [bad(`The certificate in ${certificate.file} has expired: clients refuse it.`, "certificates")]
      : [warn(`The certificate in ${certificate.file} expires in ${span(seconds)}.`, "certificates")];
  });
}

/** @param {import("./types.js").InFlight[]} requests */
function requestConcerns(requests) {
  const stuck = requests.filter((request) => urgency(request) === "stuck");
  if (stuck.length === 0) return [];
  const [{ method, target, worker, pool }] = stuck;
  const place = worker === null ? `waits in pool ${pool}` : `holds worker ${worker}`;
  const others = stuck.length > 1 ? `, and ${several(stuck.length - 1, "other")}` : "";
  return [warn(`A request is stuck: ${method} ${shortened(target)} ${place}${others}.`, "requests")];
}

/** @param {string} target */
function shortened(target) {
  return target.length > MOST_OF_TARGET ? `${target.slice(0, MOST_OF_TARGET)}…` : target;
}

/** @param {number} part @param {number} whole */
function share(part, whole) {
  return percent(part / whole);
}

/** @param {string} text @param {string} at @returns {Concern} */
function bad(text, at) {
  return { severity: "bad", text, at };
}

/** @param {string} text @param {string} at @returns {Concern} */
function warn(text, at) {
  return { severity: "warn", text, at };
}
