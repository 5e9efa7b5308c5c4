// Large messages of WebSockets in fragments, as a core that names them gets them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const CREDIT = 64 * 1024;
const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 32 << 20, streamBytes: CREDIT };
const FEATURES = ["streams", "websockets", "fragments"];
const MOST_FRAGMENT_BYTES = 16 * 1024;
const COST_BYTES = 64;
const MEGABYTE = 1 << 20;
const TEXT = "xü€😀";

async function started(context, streamBytes = CREDIT) {
  const core = new TestCore(context);
  const worker = core.start(context, app("web-sockets/fragments.mjs"));
  await core.welcome({ ...LIMITS, streamBytes }, FEATURES);
  return { core, worker };
}

/** Opens a WebSocket on which the worker does what the target says. */
async function opened(context, target) {
  const { core, worker } = await started(context);
  core.request(7, target, { websocket: [] });
  assert.equal((await core.next()).status, 101);
  return { core, worker };
}

/** The next message, joined. Checks its fragments, and grants credit for them. */
async function wholeMessage(core) {
  let body = "";
  for (;;) {
    const frame = await core.next();
    assert.equal(frame.type, "message");
    const bytes = Buffer.byteLength(frame.body);
    assert.ok(bytes <= MOST_FRAGMENT_BYTES, `a fragment of ${bytes} bytes`);
    core.send({ type: "credit", id: 7, bytes: bytes + COST_BYTES });
    body += frame.body;
    if (!frame.more) return { body, text: frame.text === true };
  }
}

for (const [target, text, body] of [
  ["/bytes-0", false, ""],
  [`/bytes-${MOST_FRAGMENT_BYTES}`, false, "\0".repeat(MOST_FRAGMENT_BYTES)],
  [`/bytes-${MOST_FRAGMENT_BYTES + 1}`, false, "\0".repeat(MOST_FRAGMENT_BYTES + 1)],
  [`/bytes-${MEGABYTE}`, false, "\0".repeat(MEGABYTE)],
  [`/ascii-${MEGABYTE}`, true, "x".repeat(MEGABYTE)],
  [`/text-${TEXT.length * 100_000}`, true, TEXT.repeat(100_000)],
]) {
  test(`a message is joined from its fragments: ${target}`, async (context) => {
    const { core } = await opened(context, `${target}/ascii-4/close`);
    const came = await wholeMessage(core);
    assert.equal(came.text, text);
    assert.ok(came.body === body);
    assert.equal((await wholeMessage(core)).body, "xxxx", "what was sent behind it");
    const { type, code } = await core.next();
    assert.deepEqual([type, code], ["close", 4000]);
  });
}

test("a client that takes nothing gets no more than its credit", async (context) => {
  const { core, worker } = await opened(context, `/bytes-${MEGABYTE}`);
  let came = 0;
  while (came < CREDIT) came += (await core.next()).body.length + COST_BYTES;
  await worker.told(/bytes waits\./);
  core.send({ type: "ping" });
  assert.equal((await core.next()).type, "pong");
  assert.ok(came < CREDIT + MOST_FRAGMENT_BYTES + COST_BYTES);
  assert.doesNotMatch(worker.output, /drained\./);
  while (came < MEGABYTE) {
    core.send({ type: "credit", id: 7, bytes: CREDIT });
    for (const most = came + CREDIT; came < Math.min(most, MEGABYTE); ) came += (await core.next()).body.length;
  }
  core.send({ type: "credit", id: 7, bytes: CREDIT });
  await worker.told(/drained\./);
});

test("a failure ends it in the middle of a message, which no client takes for a whole one", async (context) => {
  const { core } = await opened(context, `/bytes-${MEGABYTE}/fail`);
  let frame = await core.next();
  for (; frame.type === "message"; frame = await core.next()) assert.equal(frame.more, true);
  assert.deepEqual([frame.type, frame.id], ["failure", 7]);
});

test("a client that leaves ends it in the middle of a message", async (context) => {
  const { core } = await opened(context, `/bytes-${MEGABYTE}`);
  core.send({ type: "close", id: 7, code: 1006 });
  let frame = await core.next();
  for (; frame.type === "message"; frame = await core.next()) assert.equal(frame.more, true);
  assert.deepEqual([frame.type, frame.id], ["close", 7]);
});

test("pieces and medium messages pass a broadcast", async (context) => {
  const sockets = 50;
  const { core, worker } = await started(context, 100 * MEGABYTE);
  core.pause();
  for (let id = 100; id < 100 + sockets; id++)
    core.request(id, `/${Array(5).fill(`bytes-${MEGABYTE}`).join("/")}`, { websocket: [] });
  core.request(
    1,
    `/${Array(5)
      .fill(`bytes-${3 * MOST_FRAGMENT_BYTES}`)
      .join("/")}`,
    { websocket: [] },
  );
  core.request(2, "/");
  await worker.told(new RegExp(`opened /bytes-${3 * MOST_FRAGMENT_BYTES}`));
  core.resume();
  const missing = new Map([
    [1, 5 * 3 * MOST_FRAGMENT_BYTES],
    [2, 5 * 20_000],
  ]);
  let behind = 0;
  while ([...missing.values()].some((bytes) => bytes > 0)) {
    const { id, body } = await core.next();
    if (missing.has(id)) missing.set(id, missing.get(id) - body.length);
    else behind += body?.length ?? 0;
  }
  assert.ok(behind <= 5 * MEGABYTE, `${behind} bytes of the members, of which a round of turns alone has 3 MiB`);
});
