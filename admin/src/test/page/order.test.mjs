import assert from "node:assert/strict";
import { test } from "node:test";
import { matches, sorted, turned } from "../../main/resources/dev/handoff/admin/page/order.js";
import { worker } from "./stats.mjs";

/** @import { Order } from "../../main/resources/dev/handoff/admin/page/order.js" */
/** @import { Worker } from "../../main/resources/dev/handoff/admin/page/types.js" */

/** @param {Partial<Worker>[]} workers @param {Order} order */
function ids(workers, order) {
  return sorted(workers.map(worker), order).map(({ id }) => id);
}

test("namesAreOrderedAsPeopleCount", () => {
  const workers = [{ id: "api-10" }, { id: "api-9" }, { id: "api-2" }];
  assert.deepEqual(ids(workers, { by: "worker", descending: false }), ["api-2", "api-9", "api-10"]);
});

test("equalWorkersAreOrderedByName", () => {
  const workers = [
    { id: "b", inFlight: 1 },
    { id: "c", inFlight: 9 },
    { id: "a", inFlight: 1 },
  ];
  assert.deepEqual(ids(workers, { by: "inFlight", descending: true }), ["c", "a", "b"]);
});

test("workersWithoutARequestComeAfterThoseWithAnOldOne", () => {
  const workers = [
    { id: "a", oldestRequestMillis: null },
    { id: "b", oldestRequestMillis: 0.5 },
  ];
  assert.deepEqual(ids(workers, { by: "oldest", descending: true }), ["b", "a"]);
});

test("numbersAreSortedFromTheLargestAndNamesFromTheFirst", () => {
  const start = { by: "worker", descending: false };
  assert.deepEqual(turned(start, "memory"), { by: "memory", descending: true });
  assert.deepEqual(turned(turned(start, "memory"), "memory"), { by: "memory", descending: false });
  assert.deepEqual(turned({ by: "memory", descending: true }, "worker"), start);
});

test("aSearchFindsWhatHasAllItsWords", () => {
  const failing = worker({ id: "api-1", pid: 4711, state: "waiting", lastError: "ImportError: flask" });
  assert.ok(matches(failing, "api", "WAITING flask"));
  assert.ok(matches(failing, "api", "4711"));
  assert.ok(!matches(failing, "api", "waiting django"));
});
