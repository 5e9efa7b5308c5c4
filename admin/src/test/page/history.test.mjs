import assert from "node:assert/strict";
import { test } from "node:test";
import { History, perSecond, SECONDS } from "../../main/resources/dev/handoff/admin/page/history.js";
import { stats } from "./stats.mjs";

/** @import { Stats } from "../../main/resources/dev/handoff/admin/page/types.js" */

const requests = (/** @type {Stats} */ each) => each.requests.total;

test("aRateIsTheGrowthBetweenTwoPollsByTheServersClock", () => {
  assert.equal(perSecond(stats({ total: 100, seconds: 10 }), stats({ total: 400, seconds: 12 }), requests), 150);
});

test("theFirstPollHasNoRate", () => {
  assert.equal(perSecond(null, stats({ total: 100 }), requests), null);
});

test("afterAResetTheRateIsThatOfTheNewWindow", () => {
  const before = stats({ total: 5000, seconds: 100 });
  assert.equal(perSecond(before, stats({ total: 30, seconds: 0.5, resetAt: "later" }), requests), 60);
});

test("afterARestartTheRateIsThatSinceTheStart", () => {
  const before = stats({ total: 5000, seconds: 100 });
  const after = stats({ total: 8, seconds: 2, startedAt: "later", resetAt: "later" });
  assert.equal(perSecond(before, after, requests), 4);
});

test("pollsThatAreTooCloseHaveNoRate", () => {
  assert.equal(perSecond(stats({ seconds: 1 }), stats({ total: 9, seconds: 1.1 }), requests), null);
});

test("onlyTheLastMinutesAreKept", () => {
  const history = new History();
  for (let second = 0; second <= SECONDS + 10; second++) history.add(stats({ seconds: second }), second);
  const [x] = history.columns(["inFlight"], SECONDS + 10);
  assert.equal(x[0], -SECONDS);
  assert.equal(x.at(-1), 0);
  assert.equal(x.length, SECONDS + 1);
});

test("aPauseBetweenPollsLeavesAGap", () => {
  const history = new History();
  for (const second of [1, 2, 3, 60, 61]) history.add(stats({ seconds: second }), second);
  const [x, inFlight] = history.columns(["inFlight"], 61);
  assert.deepEqual(inFlight, [0, 0, 0, null, 0, 0]);
  assert.ok(x.every((value, index) => index === 0 || Number(value) > Number(x[index - 1])));
});
