// What a handler keeps in an AsyncLocalStorage is for its own request, though one worker does the work of many in one turn.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { STREAMING, TestCore } from "./support/test-core.mjs";

const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 2 << 20 };
/** So many responses of a megabyte are more than may be unsent. */
const FILLING = 20;
const LEFT = 1000;
const LATE = 1001;

async function served(context, kind, limits = LIMITS, features = undefined) {
  const core = new TestCore(context);
  const worker = core.start(context, app("async-context.mjs"), { words: [kind] });
  await core.welcome(limits, features);
  return { core, worker };
}

for (const kind of ["plain", "fetch", "node"]) {
  test(`${kind}: what a handler enters is not there for other requests`, async (context) => {
    const { core } = await served(context, kind);
    core.together(() => {
      for (let id = 1; id <= 3; id++) core.request(id, `/enter/${id}`);
    });
    for (let id = 1; id <= 3; id++) assert.equal((await core.next()).body, "undefined");
    core.request(4, "/enter/4");
    assert.equal((await core.next()).body, "undefined", "nor in a later turn");
  });
}

for (const kind of ["plain", "fetch"]) {
  test(`${kind}: what a listener of a signal enters is not there for other requests`, async (context) => {
    const { core, worker } = await served(context, kind);
    for (let id = 1; id <= 4; id++) core.request(id, `/abort/${id}`);
    for (let id = 1; id <= 4; id++) await worker.told(new RegExp(`/abort/${id} waits\\.`));
    core.together(() => {
      for (const id of [1, 2]) core.send({ type: "cancel", id, reason: "client_gone" });
    });
    for (const id of [1, 2]) await worker.told(new RegExp(`/abort/${id}: abort undefined\\.`));
    core.end();
    for (const id of [3, 4]) await worker.told(new RegExp(`/abort/${id}: abort undefined\\.`));
  });
}

test("what a WebSocket enters at a message is not there for others", async (context) => {
  const { core } = await served(context, "plain", STREAMING, ["streams", "websockets"]);
  for (const id of [2, 3]) {
    core.request(id, "/", { websocket: [] });
    assert.equal((await core.next()).status, 101);
  }
  core.together(() => {
    for (const id of [2, 3]) core.send({ type: "message", id, text: true }, `message ${id}`);
  });
  for (const id of [2, 3]) {
    const { id: of, body } = await core.next();
    assert.deepEqual([of, body], [id, "undefined"]);
  }
});

test("node: what it hears of a response has what was there when it wrote", async (context) => {
  const { core, worker } = await served(context, "node", STREAMING);
  core.together(() => {
    for (let id = 1; id <= 3; id++) core.request(id, `/whole/${id}`);
    for (let id = 4; id <= 6; id++) core.request(id, `/pieces/${id}`);
  });
  for (let heads = 1; heads <= 6; heads++) assert.equal((await core.next()).type, "response");
  core.together(() => {
    for (let id = 4; id <= 6; id++) core.send({ type: "credit", id, bytes: 1 << 20 });
  });
  for (let id = 1; id <= 6; id++) {
    const target = `/${id <= 3 ? "whole" : "pieces"}/${id}`;
    const events = ["written", "ended", "finish", "close", ...(id <= 3 ? [] : ["drain"])];
    for (const event of events) await worker.told(new RegExp(`^${target}: ${event} ${target}\\.`, "m"));
  }
});

test("node: a request that was kept does not find what the response has before which it waited", async (context) => {
  const { core, worker } = await served(context, "node");
  core.pause();
  core.request(LEFT, "/left");
  for (let id = 1; id <= FILLING; id++) core.request(id, `/long/${id}`);
  for (let id = 1; id <= FILLING; id++) await worker.told(new RegExp(`/long/${id} ends\\.`));
  core.request(LATE, "/enter/late");
  core.send({ type: "cancel", id: LEFT, reason: "client_gone" });
  await worker.told(/left\./); // so it has read what came before
  core.resume();
  let frame = await core.next();
  while (frame.id !== LATE) frame = await core.next();
  assert.equal(frame.body, "undefined");
});
