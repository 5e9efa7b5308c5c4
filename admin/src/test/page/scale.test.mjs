import assert from "node:assert/strict";
import { test } from "node:test";
import { roundUp, top } from "../../main/resources/dev/handoff/admin/page/scale.js";

test("anAxisEndsAtOneTwoOrFive", () => {
  assert.deepEqual([0.3, 1, 1.01, 2, 4, 5, 51, 999, 13_044].map(roundUp), [0.5, 1, 2, 2, 5, 5, 100, 1000, 20_000]);
});

test("anAxisGrowsAtOnceAndShrinksLate", () => {
  assert.equal(top(10, 11, 1), 20);
  assert.equal(top(20, 9, 1), 20);
  assert.equal(top(20, 5, 1), 5);
});

test("anAxisOfNothingShowsTheLeast", () => {
  assert.equal(top(0, null, 10), 10);
  assert.equal(top(0, 0, 1), 1);
});
