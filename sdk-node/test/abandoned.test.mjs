// node:http applications whose clients leave: what runs on is counted, and what nobody can want any more is let go.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { NodeExchange } from "../src/node/exchange.mjs";
import { PlainRequest } from "../src/protocol/plain-request.mjs";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const LISTENER = app("node-listener.mjs");
const GRACE_MILLIS = 3000;
const CORE_GRACE_MILLIS = 5000;
const TIMEOUT_MILLIS = 6000;

async function served(context, concurrency = 1) {
  const core = new TestCore(context);
  const worker = core.start(context, LISTENER, { environment: { HANDOFF_CONCURRENCY: String(concurrency) } });
  await core.welcome();
  return { core, worker };
}

/** Cancels a request and returns what the worker says next, which is a pong where it leaves the cancel unanswered. */
async function cancelled(core, id, reason = "client_gone") {
  core.send({ type: "ping" });
  assert.equal((await core.next()).type, "pong", "the request has begun");
  core.send({ type: "cancel", id, reason });
  core.send({ type: "ping" });
  const first = await core.next();
  if (first.type !== "pong") assert.equal((await core.next()).type, "pong");
  return first;
}

test("leaves a cancel unanswered when a window of abandoned node:http handlers still runs", async (context) => {
  const { core } = await served(context, 2);
  for (const id of [1, 2]) {
    core.request(id, "/wait");
    assert.equal((await cancelled(core, id)).id, id);
  }
  core.request(3, "/wait");
  assert.equal((await cancelled(core, 3)).type, "pong", "a third runs on");
  core.request(4, "/release");
  const responses = [await core.next(), await core.next()];
  assert.deepEqual(responses.map(({ id }) => id).sort(), [3, 4]);
  core.request(5, "/wait");
  assert.equal((await cancelled(core, 5)).id, 5, "nothing runs on any more");
});

for (const target of [
  "/end-on-close",
  "/destroy-on-close",
  "/destroy-socket-on-close",
  "/reject-on-close",
  "/return-on-close",
]) {
  test(`counts an abandoned handler no longer than it runs: ${target}`, async (context) => {
    const { core, worker } = await served(context);
    for (let id = 1; id <= 10; id++) {
      core.request(id, target);
      assert.equal((await cancelled(core, id)).id, id);
    }
    core.request(11, "/fine");
    assert.equal((await core.next()).body, "/fine");
    assert.equal(worker.output, "", "a client that leaves is no error of the application");
  });
}

test("frees the place of the longest cancelled request when an abandoned handler ends", async (context) => {
  const { core } = await served(context);
  core.request(1, "/wait");
  assert.equal((await cancelled(core, 1)).id, 1);
  core.request(2, "/return-at-once");
  assert.equal((await cancelled(core, 2)).type, "pong");
  core.request(3, "/release");
  assert.deepEqual([(await core.next()).id, (await core.next()).id].sort(), [2, 3]);
});

test("counts a handler once that throws after its response", async (context) => {
  const { core, worker } = await served(context);
  core.request(1, "/wait");
  assert.equal((await cancelled(core, 1)).id, 1);
  core.request(2, "/end-and-throw");
  assert.equal((await core.next()).body, "ended");
  core.request(3, "/end-and-throw");
  assert.equal((await core.next()).body, "ended");
  await new Promise((resolve) => setTimeout(resolve, 50));
  core.request(4, "/wait");
  assert.equal((await cancelled(core, 4)).type, "pong", "the first still runs");
  assert.equal(worker.output, "");
});

for (const [reason, longest] of [
  ["client_gone", TIMEOUT_MILLIS + CORE_GRACE_MILLIS],
  ["deadline", CORE_GRACE_MILLIS],
]) {
  test(`frees the place of a handler that never ends before the core takes the worker for stuck: ${reason}`, async (context) => {
    const { core } = await served(context);
    const began = performance.now();
    for (const id of [1, 2]) core.request(id, "/return-at-once", { timeoutMillis: TIMEOUT_MILLIS });
    core.send({ type: "cancel", id: 1, reason });
    assert.equal((await core.next()).id, 1);
    assert.equal((await cancelled(core, 2, reason)).type, "pong");
    assert.equal((await core.next()).id, 2);
    const took = performance.now() - began;
    assert.ok(took >= GRACE_MILLIS - 1 && took < longest, `${took} ms`);
  });
}

test("lets go of the content of a request whose client left", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const connection = { limits: { bodyBytes: 1 }, begin() {}, settle: () => false, abandon() {}, afterFlush() {} };
  const head = {
    id: 1,
    timeoutMillis: 1,
    method: "POST",
    target: "/",
    version: "1.1",
    tail: { headers: [], client: "a:1" },
  };
  for (const [name, use] of [
    ["unread", () => {}],
    ["read", (incoming) => incoming.resume()],
    ["half read", (incoming) => incoming.once("readable", () => incoming.read(1))],
  ]) {
    const kept = [];
    const bodies = [];
    (() => {
      const body = Buffer.alloc(1 << 16);
      bodies.push(new WeakRef(body));
      const request = new PlainRequest(head, body);
      const exchange = new NodeExchange(request, connection);
      use(exchange.incoming);
      kept.push(exchange.incoming, exchange.response, request);
    })();
    await new Promise(setImmediate);
    PlainRequest.cancel(kept[2], "client_gone");
    for (let turn = 0; turn < 3; turn++) {
      await new Promise(setImmediate);
      collect();
    }
    assert.equal(bodies[0].deref(), undefined, name);
    assert.equal(kept.length, 3);
  }
});
