// A core that takes no bytes: what a worker holds meanwhile, and what becomes of the requests whose clients leave.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 2 << 20 };
const MEGABYTE = 1_000_000;
const REQUESTS = 60;
/** So many responses of a megabyte are more than may be unsent. */
const FILLING = Math.ceil((8 << 20) / MEGABYTE);
const NOBODY = { type: "cancel", reason: "client_gone" };

/** A worker whose core takes nothing any more, and which has read all requests. Each asks for a megabyte. */
async function full(context, ...words) {
  const core = new TestCore(context);
  const worker = core.start(context, app("unsent.mjs"), { words });
  await core.welcome(LIMITS);
  core.pause();
  core.request(1000, "/wait");
  for (let id = 1; id <= REQUESTS; id++) core.request(id, `/long/${MEGABYTE}`);
  core.send({ ...NOBODY, id: 1000 });
  await worker.told(/aborted\./);
  return { core, worker };
}

/** The last frame of each id, of so many. */
async function ends(core, count) {
  const frames = new Map();
  while (frames.size < count) {
    const frame = await core.next();
    if (frame.type === "drain") continue;
    assert.ok(!frames.has(frame.id), `${frame.id} is answered once`);
    frames.set(frame.id, frame);
  }
  return frames;
}

const begun = (worker) => worker.output.match(/begun \/long/g)?.length ?? 0;
const whole = (frames) => [...frames.values()].filter(({ type }) => type === "response");

for (const words of [["plain"], ["fetch"], ["node"]]) {
  test(`${words}: requests do not begin while 8 MiB are unsent, and all do when there is room`, async (context) => {
    const { core, worker } = await full(context, ...words);
    assert.ok(begun(worker) <= FILLING + 1, `${begun(worker)} have begun`);
    core.resume();
    const frames = await ends(core, REQUESTS + 1);
    frames.delete(1000);
    for (const [id, { type, body }] of frames) assert.deepEqual([id, type, body.length], [id, "response", MEGABYTE]);
  });

  test(`${words}: a worker that leaves gives back what has not begun`, async (context) => {
    const { core, worker } = await full(context, ...words);
    const before = begun(worker);
    worker.signal("SIGTERM");
    await worker.told(/leaving\./);
    core.resume();
    const frames = await ends(core, REQUESTS + 1);
    assert.equal(begun(worker), before);
    assert.equal(whole(frames).length, before, "what has begun is finished");
    const givenBack = [...frames.values()].filter(({ retry }) => retry);
    assert.equal(givenBack.length, REQUESTS - before);
    core.end();
    assert.equal(await worker.ended(), 0);
  });
}

for (const words of [["plain"], ["plain", "later"], ["fetch"], ["fetch", "later"], ["node"], ["node", "later"]]) {
  test(`${words}: a cancel takes back what has not begun, and what has not left`, async (context) => {
    const { core, worker } = await full(context, ...words);
    const before = begun(worker);
    // What has not begun comes first: a response that is taken back makes room for others.
    for (let id = REQUESTS; id >= 1; id--) core.send({ ...NOBODY, id });
    core.request(REQUESTS + 1, "/small");
    await worker.told(/begun \/small\./); // nothing is in the way of others
    assert.equal(begun(worker), before, "a cancel spares the handler");
    core.resume();
    const frames = await ends(core, REQUESTS + 2);
    assert.equal(frames.get(REQUESTS + 1).body, "small");
    const left = whole(frames).length - 1;
    assert.ok(left <= 2, `${left} have left`);
  });
}

for (const [name, size] of [
  ["the largest that passes others", 64 * 1024],
  ["the smallest that waits", 64 * 1024 + 1],
]) {
  test(`a response of any size arrives whole: ${name}`, async (context) => {
    const core = new TestCore(context);
    core.start(context, app("unsent.mjs"), { words: ["plain"] });
    await core.welcome(LIMITS);
    for (let id = 1; id <= REQUESTS; id++) core.request(id, `/long/${size}`);
    for (const { body } of (await ends(core, REQUESTS)).values()) assert.equal(body.length, size);
  });
}

test("a small response passes large ones", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, app("unsent.mjs"), { words: ["plain"] });
  await core.welcome(LIMITS);
  core.pause();
  for (let id = 1; id <= 4; id++) core.request(id, `/long/${MEGABYTE}`);
  core.request(5, "/small");
  await worker.told(/begun \/small\./);
  core.resume();
  const ids = [...(await ends(core, 5)).keys()];
  assert.ok(ids.indexOf(5) <= 1, `${ids}`);
});

test("nobody waits for all that another client has sent ahead", async (context) => {
  const { core } = await full(context, "plain");
  core.request(2000, "/small", { client: "127.0.0.2:1" });
  core.resume();
  const ids = [...(await ends(core, REQUESTS + 2)).keys()];
  assert.ok(ids.indexOf(2000) < REQUESTS / 2, `${ids}`);
});

test("a response does not wait behind all large messages of WebSockets", async (context) => {
  const [sockets, messages, most] = [20, 100, 8];
  const core = new TestCore(context);
  const worker = core.start(context, app("web-sockets/room.mjs"));
  await core.welcome({ ...LIMITS, streamBytes: 5 * MEGABYTE });
  core.pause();
  for (let id = 2; id < 2 + sockets; id++) core.request(id, "/", { websocket: [] });
  core.request(1000, "/");
  await worker.told(/asked\./);
  core.resume();
  let before = 0;
  let frame = await core.next();
  for (; frame.id !== 1000; frame = await core.next()) before += frame.type === "message" ? 1 : 0;
  assert.equal(frame.body.length, 200_000);
  assert.ok(before <= most, `${before} messages came before it`);
  for (let came = before; came < messages; ) came += (await core.next()).type === "message" ? 1 : 0;
});

test("a flood of small messages keeps no request waiting", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, app("web-sockets/flood.mjs"));
  await core.welcome({ ...LIMITS, streamBytes: 5 * MEGABYTE });
  core.pause();
  for (let id = 2; id < 22; id++) core.request(id, "/", { websocket: [] });
  core.request(1000, "/");
  await worker.told(/asked\./);
  core.resume();
  let before = 0;
  while ((await core.next()).id !== 1000) before++;
  // Each frame has 40 bytes at least.
  assert.ok(before * 40 <= 8 * MEGABYTE, `${before} messages came before it`);
});
