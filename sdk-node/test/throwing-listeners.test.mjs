// What an application throws where others are waiting for their turn: it reaches the process, and nobody else.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 1 << 20, streamBytes: 64 * 1024 };
const HANDSHAKE = [
  ["host", "localhost"],
  ["sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="],
  ["sec-websocket-version", "13"],
];

async function served(context) {
  const core = new TestCore(context);
  const worker = core.startUnchanged(context, app("throwing-listeners.mjs"));
  await core.welcome(LIMITS, ["streams", "websockets"]);
  return { core, worker };
}

test("a listener of `finish` that throws costs other responses neither theirs nor their way to the core", async (context) => {
  const { core, worker } = await served(context);
  const targets = ["/throws", "/a", "/throws", "/b"];
  core.together(() => {
    for (const [id, target] of targets.entries()) core.request(id, target);
  });
  for (const target of targets) assert.equal((await core.next()).body, target);
  for (const target of ["/a", "/b"]) await worker.told(new RegExp(`${target}: finish\\.`));
  await worker.told(/(uncaught: at finish\.\s.*){2}/s);
  core.request(9, "/later");
  assert.equal((await core.next()).body, "/later");
});

test("a listener of a WebSocket's messages that throws costs nobody the connection to the core", async (context) => {
  const { core, worker } = await served(context);
  core.request(2, "/", { headers: HANDSHAKE, websocket: [] });
  assert.equal((await core.next()).status, 101);
  core.together(() => {
    core.send({ type: "message", id: 2, text: true }, "first");
    core.request(3, "/a");
  });
  const { id, body } = await core.next();
  assert.deepEqual([id, body], [3, "/a"]);
  await worker.told(/uncaught: at message\./);
});

test("all that is due at the end of a turn is done, also behind what throws", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, app("throwing-turns.mjs"));
  for (const told of [/the turn has ended\./, /flushed\./, /uncaught: at the end\./, /uncaught: behind it\./]) {
    await worker.told(told);
  }
  assert.equal((await core.next()).type, "later");
});
