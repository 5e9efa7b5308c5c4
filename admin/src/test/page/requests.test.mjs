import assert from "node:assert/strict";
import { test } from "node:test";
import { keyed } from "../../main/resources/dev/handoff/admin/page/requests.js";

/** @param {string | null} id @param {string} client */
const request = (id, client) => /** @type {any} */ ({ id, client, method: "GET", target: "/" });

/** @param {any[]} requests */
const keys = (requests) => keyed(requests).map(({ key }) => key);

test("requestsThatShareAnIdOrHaveNoneAreRowsOfTheirOwn", () => {
  const found = keys([
    request(null, "a:1"),
    request(null, "a:2"),
    request("x", "a:3"),
    request("x", "a:4"),
    request("x", "a:4"),
  ]);
  assert.equal(new Set(found).size, 5);
});

test("aRequestKeepsItsRowWhenAnOlderOneIsGone", () => {
  const [, second] = keys([request(null, "a:1"), request(null, "a:2")]);
  assert.deepEqual(keys([request(null, "a:2")]), [second]);
});
