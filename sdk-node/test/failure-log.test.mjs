import assert from "node:assert/strict";
import { test } from "node:test";
import { format } from "node:util";
import { FailureLog } from "../src/log/failure-log.mjs";
import { shortMessage } from "../src/log/shorten.mjs";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const MOST_PLACES = 64;
const MOST_MESSAGES = 8;
const REQUEST = { method: "GET", target: "/" };

/** A log with a clock that the test turns, and what it says before each error, as console.error would show it. */
function logged() {
  const lines = [];
  const clock = { millis: 0, due: [] };
  const log = new FailureLog(
    (...words) => lines.push(format(...words).replace(/ failed: .*/s, " failed:")),
    () => clock.millis,
    (run, millis) => clock.due.push({ at: clock.millis + millis, run }),
  );
  const turn = (millis) => {
    clock.millis += millis;
    for (const { run } of clock.due.filter(({ at }) => at <= clock.millis)) run();
    clock.due = clock.due.filter(({ at }) => at > clock.millis);
  };
  return { log, lines, turn };
}

function thrown(kind, message = "m") {
  return Object.assign(new Error(message), { stack: `Error: ${message}\n    at ${kind} (app.mjs:1:1)` });
}

test("tells the first failure of each kind in full", () => {
  const { log, lines } = logged();
  for (const kind of ["a", "b", "a", "b"]) log.failed(REQUEST, thrown(kind));
  log.failed(REQUEST, "no Error");
  assert.deepEqual(lines, Array(3).fill("handoff: GET / failed:"));
});

test("leaves out the query, which may hold secrets", () => {
  const { log, lines } = logged();
  log.failed({ method: "GET", target: "/a?token=S3CRET" }, thrown("a"));
  assert.deepEqual(lines, ["handoff: GET /a failed:"]);
});

test("tells a path and an error as they are, also where they look like formats", async (context) => {
  const { log, lines } = logged();
  log.failed({ method: "GET", target: "/%c%s%%" }, thrown("a"));
  assert.deepEqual(lines, ["handoff: GET /%c%s%% failed:"]);
  const core = new TestCore(context);
  const process = core.start(context, app("worker.mjs"));
  await core.welcome();
  core.request(1, "/throw/%c");
  await process.told(/^handoff: GET \/throw\/%c failed: Error: %c\n\s+at /m);
});

test("tells one more in a second, and how many it left out", () => {
  const { log, lines, turn } = logged();
  for (let i = 0; i < 5; i++) log.failed(REQUEST, thrown("a"));
  turn(999);
  log.failed(REQUEST, thrown("a"));
  assert.equal(lines.length, 1);
  turn(1);
  assert.deepEqual(lines.slice(1), ["handoff: 5 more requests failed like others before; their traces are left out"]);
  log.failed(REQUEST, thrown("a"));
  log.failed(REQUEST, thrown("a"));
  assert.equal(lines.length, 3);
  turn(1000);
  assert.match(lines[3], /^handoff: 1 more requests/);
});

test("tells so many messages of a place and no more", () => {
  const { log, lines } = logged();
  for (let i = 0; i <= MOST_MESSAGES; i++) log.failed(REQUEST, thrown("a", `what client ${i} sent\n    at x (y:1:1)`));
  assert.equal(lines.length, MOST_MESSAGES);
  log.failed(REQUEST, thrown("b"));
  assert.equal(lines.length, MOST_MESSAGES + 1);
});

test("remembers so many places and no more", () => {
  const { log, lines } = logged();
  for (let i = 0; i <= MOST_PLACES; i++) log.failed(REQUEST, thrown(`f${i}`));
  assert.equal(lines.length, MOST_PLACES);
});

test("tells a message of many lines in a few, to its log and to the core", () => {
  const told = [];
  const log = new FailureLog((text) => told.push(text));
  const error = new Error(`${"first\n".repeat(9000)}${"x".repeat(9000)}`);
  log.failed({ method: "GET", target: `/${"t".repeat(9000)}` }, error);
  const lines = told[0].split("\n");
  assert.equal(lines.length, 201);
  assert.match(lines[100], /^… \(\d{4} more lines\)$/);
  assert.ok(lines.every((line) => line.length < 800));
  assert.match(lines.at(-1), /^ {4}at /);
  assert.equal(shortMessage(error), `Error: ${Array(20).fill("first").join("\n")}… (62881 more characters)`);
  assert.equal(shortMessage("x".repeat(9000)), `${"x".repeat(4000)}… (5000 more characters)`);
});

test("survives an error that has no text", async (context) => {
  const core = new TestCore(context);
  const process = core.start(context, app("worker.mjs"));
  await core.welcome();
  for (const [id, target] of ["/throw-no-text", "/throw-no-text/error", "/fine"].entries()) {
    core.request(id, target);
    assert.equal((await core.next()).type, target === "/fine" ? "response" : "failure");
  }
  await process.told(/GET \/throw-no-text failed/);
});

test("does not fill the log when every request fails", async (context) => {
  const core = new TestCore(context);
  const process = core.start(context, app("worker.mjs"));
  await core.welcome();
  const requests = 300;
  for (let id = 1; id <= requests; id++) core.request(id, "/throw/x");
  for (let id = 1; id <= requests; id++) assert.equal((await core.next()).type, "failure");
  const [, leftOut] = await process.told(/handoff: (\d+) more requests failed like others before/);
  assert.ok(Number(leftOut) > 0);
  assert.ok(process.output.match(/^handoff: GET \/throw\/x failed:/gm).length <= requests - Number(leftOut));
});
