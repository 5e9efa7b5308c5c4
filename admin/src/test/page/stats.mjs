// Figures as the server gives them, for the tests of what is made of them.

/** @import { Pool, Stats, Worker } from "../../main/resources/dev/handoff/admin/page/types.js" */

const NO_TIMES = { count: 0, mean: null, p50: null, p90: null, p99: null, "p99.9": null, max: null };

/** @param {Partial<Pool>} changes @returns {Pool} */
export function pool(changes = {}) {
  return {
    name: "default",
    state: "serving",
    overloaded: false,
    lastError: "",
    concurrency: 64,
    inFlight: 0,
    workers: { starting: 0, ready: 1, draining: 0, leaving: 0, waiting: 0 },
    queue: { depth: 0, limit: 100, bytes: 0, limitBytes: 1000, oldestAgeMillis: 0, waitMillis: NO_TIMES },
    rejected: { queue_full: 0 },
    requests: { dispatched: 0, lost: 0, failures: 0, cancelled: { deadline: 0 } },
    exits: { crash: 0 },
    recent: { seconds: 10, requestsPerSecond: 0, waitMillis: NO_TIMES, handlerMillis: NO_TIMES },
    ...changes,
  };
}

/**
 * @param {{ total?: number, seconds?: number, resetAt?: string, startedAt?: string, errors?: number }} counted
 * @param {Partial<Stats>} changes
 * @returns {Stats}
 */
export function stats(
  { total = 0, seconds = 1, resetAt = "start", startedAt = "start", errors = 0 } = {},
  changes = {},
) {
  return {
    server: { name: "Handoff", version: "1", pid: 1, startedAt, uptimeSeconds: seconds, state: "serving" },
    tls: { listening: [], certificates: [] },
    window: { resets: 0, resetAt, endedAt: null, seconds },
    limits: { connections: 100 },
    connections: { open: 1, active: 0, idle: 1, accepted: 1, acceptPaused: false },
    requests: {
      total,
      inFlight: 0,
      perSecond: 0,
      byStatus: { "2xx": total - errors, "3xx": 0, "4xx": 0, "5xx": errors },
      bytesIn: 0,
      bytesOut: 0,
      abandoned: { client_gone: 0 },
      badResponses: 0,
      handlerFailures: 0,
      latencyMillis: NO_TIMES,
    },
    webSockets: { opened: 0, open: 0, closed: { 1000: 0, 1006: 0 } },
    streams: { begun: 0, open: 0, bytes: 0, ended: { complete: 0 } },
    recent: { seconds: 10, requestsPerSecond: 0, errorsPerSecond: 0, latencyMillis: NO_TIMES },
    buffers: { bytes: 0, limitBytes: 1000, full: 0 },
    spool: { requests: 0, bytes: 0, limitBytes: 1000, full: 0 },
    refusedRequests: { bad_method: 0 },
    pools: [pool()],
    loops: [
      { index: 0, connections: 1, requests: 0, busyShare: 0, lagMillis: { p50: 0, p99: 0, max: 0 }, responsive: true },
    ],
    ...changes,
  };
}

/** @param {Partial<Worker>} changes @returns {Worker} */
export function worker(changes = {}) {
  return {
    id: "default-1",
    name: "default-1",
    pid: 1,
    host: "",
    state: "ready",
    concurrency: 64,
    inFlight: 0,
    requests: 0,
    failures: 0,
    cancels: 0,
    lateResponses: 0,
    restarts: 0,
    ageSeconds: 1,
    memoryBytes: 0,
    oldestRequestMillis: null,
    lastError: "",
    ...changes,
  };
}
