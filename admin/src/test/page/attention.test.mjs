import assert from "node:assert/strict";
import { test } from "node:test";
import { concerns } from "../../main/resources/dev/handoff/admin/page/attention.js";
import { urgency, used } from "../../main/resources/dev/handoff/admin/page/urgency.js";
import { pool, stats } from "./stats.mjs";

/** @import { InFlight, Pool, Stats } from "../../main/resources/dev/handoff/admin/page/types.js" */

/** @param {Partial<InFlight>} changes @returns {InFlight} */
function request(changes) {
  const times = { ageMillis: 1, waitMillis: 0, handlerMillis: 1, deadlineInMillis: 29_999 };
  const names = {
    id: "1",
    traceId: null,
    pool: "default",
    worker: "default-1",
    method: "GET",
    target: "/",
    client: "::1",
  };
  return { ...names, ...times, state: "running", retiring: false, ...changes };
}

/** @param {Stats} seen @param {InFlight[]} requests */
function texts(seen, requests = []) {
  const found = concerns({
    stats: seen,
    workers: null,
    requests: { inHand: requests.length, shown: requests.length, requests },
    trouble: "",
  });
  return found.map(({ severity, text }) => `${severity}: ${text.replaceAll("\u00a0", " ")}`);
}

/** @param {Partial<Pool>} changes */
function withPool(changes) {
  return stats({}, { pools: [pool(changes)] });
}

test("aServerThatIsWellNeedsNoAttention", () => {
  assert.deepEqual(texts(stats(), [request({})]), []);
});

test("aPoolWithoutAReadyWorkerIsBad", () => {
  assert.deepEqual(texts(withPool({ workers: { ready: 0, waiting: 0 } })), ["bad: Pool default has no ready worker."]);
});

test("aQueueIsToldOnceItIsNearlyFull", () => {
  const queue = (/** @type {number} */ depth) => withPool({ queue: { ...pool().queue, depth } });
  assert.deepEqual(texts(queue(80)), []);
  assert.deepEqual(texts(queue(81)), ["warn: The queue of pool default is 81 % full."]);
  assert.deepEqual(texts(queue(100)), ["bad: The queue of pool default is full: 100 wait."]);
});

test("aCertificateIsToldTwoWeeksBeforeItExpires", () => {
  const day = 24 * 60 * 60 * 1000;
  const left = (/** @type {number} */ millis) => {
    const seen = stats({ startedAt: "2030-01-01T00:00:00Z", seconds: 3600 });
    const expiresAt = new Date(Date.parse("2030-01-01T01:00:00Z") + millis).toISOString();
    seen.tls.certificates.push({ file: "a.pem", names: ["a.example"], validFrom: "2029-01-01T00:00:00Z", expiresAt });
    return texts(seen);
  };
  assert.deepEqual(left(14 * day), []);
  assert.deepEqual(left(14 * day - 1000), ["warn: The certificate in a.pem expires in 13 d 23 h."]);
  assert.deepEqual(left(0), ["bad: The certificate in a.pem has expired: clients refuse it."]);
});

test("theWorstComesFirst", () => {
  const seen = stats(
    {},
    { pools: [pool({ lastError: "no module" }), pool({ name: "node", workers: { ready: 0, waiting: 0 } })] },
  );
  assert.deepEqual(
    texts(seen).map((text) => text.split(":")[0]),
    ["bad", "warn"],
  );
});

test("errorsAreToldFromOneInAHundred", () => {
  const failing = (/** @type {number} */ errorsPerSecond) =>
    stats({}, { recent: { ...stats().recent, requestsPerSecond: 1000, errorsPerSecond } });
  assert.deepEqual(texts(failing(10)), []);
  assert.deepEqual(texts(failing(11)), ["warn: 1.1 % of the latest requests failed (5xx)."]);
});

test("aStuckRequestIsNamedWithTheWorkerThatHoldsIt", () => {
  const stuck = request({ target: "/report", ageMillis: 28_000, deadlineInMillis: 2_000 });
  assert.deepEqual(texts(stats(), [stuck, request({})]), [
    "warn: A request is stuck: GET /report holds worker default-1.",
  ]);
});

test("aLongTargetIsCutShort", () => {
  const [text] = texts(stats(), [request({ target: `/${"x".repeat(199)}`, state: "cancelled", deadlineInMillis: 0 })]);
  assert.ok(text.length < 140, text);
});

test("aRequestIsSlowFromHalfOfItsTimeAndStuckFromNineTenths", () => {
  const at = (/** @type {number} */ ageMillis) => urgency(request({ ageMillis, deadlineInMillis: 30_000 - ageMillis }));
  assert.deepEqual([14_999, 15_000, 26_999, 27_000].map(at), ["calm", "slow", "slow", "stuck"]);
});

test("aRequestThatLastsTenTimesTheUsualIsSlow", () => {
  assert.equal(urgency(request({ ageMillis: 1001 }), 100), "slow");
  assert.equal(urgency(request({ ageMillis: 1000 }), 5), "calm");
  assert.equal(urgency(request({ ageMillis: 4000 }), 500), "calm");
});

test("aCancelledRequestThatIsStillThereIsSlowAndPastItsDeadlineStuck", () => {
  assert.equal(urgency(request({ state: "cancelled", ageMillis: 1, deadlineInMillis: 29_999 })), "slow");
  assert.equal(urgency(request({ state: "cancelled", ageMillis: 30_000, deadlineInMillis: 0 })), "stuck");
});

test("aRequestPastItsDeadlineHasUsedAllOfItsTime", () => {
  assert.equal(used(request({ ageMillis: 30_010, deadlineInMillis: -10 })), 1);
  assert.equal(used(request({ ageMillis: 120_000, deadlineInMillis: null })), 1);
});
