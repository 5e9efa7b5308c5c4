// Responses in pieces (docs/PROTOCOL.md), as the core sees them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { STREAMING, TestCore } from "./support/test-core.mjs";

const KINDS = ["node", "fetch", "plain"];
const PIECE_BYTES = 64 * 1024;
const MANY = 500;
/** So many at once, and an id behind theirs. */
const STREAMS = 100;
const LATE = 1000;
const BODY_BYTES = 1_000_000;
/** What may stay of two rounds of so many: less than half a kilobyte of each. */
const LEFT_BYTES = 500_000;

async function served(context, kind, { limits = STREAMING, ...how } = {}) {
  const core = new TestCore(context);
  const worker = core.start(context, app("streams.mjs"), { words: [kind], ...how });
  const { hello } = await core.welcome(limits);
  return { core, worker, hello };
}

/** The response to one request: its head, the lengths of its pieces and its content. Grants credit for each piece that comes. */
async function response(core, id, { grants = true } = {}) {
  const head = await core.next();
  assert.deepEqual([head.type, head.id], ["response", id]);
  const pieces = [head.body];
  for (let last = head; last.more; pieces.push(last.body)) {
    if (grants && last.body.length > 0) core.send({ type: "credit", id, bytes: last.body.length });
    last = await core.next();
    assert.deepEqual([last.type, last.id], ["data", id]);
  }
  return { head, pieces, content: pieces.join("") };
}

/** What the worker sends unless it has nothing to send. */
async function isSilent(core) {
  core.send({ type: "ping" });
  return (await core.next()).type === "pong";
}

test("says in hello what it takes in pieces, and that thousands of responses may be under way", async (context) => {
  const { hello } = await served(context, "plain");
  assert.deepEqual([hello.features, hello.streams], [["streams", "websockets", "fragments"], 10_000]);
  assert.deepEqual([hello.bodyBytes, hello.streamBytes], [1_048_576, 262_144]);
});

for (const kind of KINDS) {
  test(`${kind}: a response that has ended in its turn is one frame`, async (context) => {
    const { core } = await served(context, kind);
    for (const [id, target, content] of [
      [1, "/at-once", "one two three"],
      [2, "/at-once", "one two three"],
    ]) {
      core.request(id, target);
      const { head, pieces } = await response(core, id);
      assert.deepEqual([head.more, pieces], [undefined, [content]]);
    }
  });

  test(`${kind}: what goes on for several turns leaves at the end of each`, async (context) => {
    const { core } = await served(context, kind);
    core.request(1, "/turns");
    const { head, pieces } = await response(core, 1);
    assert.equal(head.more, true);
    assert.deepEqual(pieces, ["turn 1 ", "turn 2 ", "turn 3 ", ""]);
  });

  test(`${kind}: the head for a HEAD leaves as early, though there is nothing else to send`, async (context) => {
    const { core } = await served(context, kind);
    core.request(1, "/waits/a", { method: "HEAD" });
    const { type, id, more } = await core.next();
    assert.deepEqual([type, id, more], ["response", 1, true]);
  });

  test(`${kind}: pieces have 64 KiB at most, and wait for credit`, async (context) => {
    const { core, worker } = await served(context, kind);
    core.request(1, "/for-ever");
    let bytes = 0;
    let credit = PIECE_BYTES;
    while (credit > 0) {
      const { body, more, id } = await core.next();
      assert.deepEqual([more, id], [true, 1]);
      assert.ok(body.length <= PIECE_BYTES);
      credit -= body.length;
      bytes += body.length;
    }
    assert.ok(await isSilent(core), "nothing comes without credit");
    core.send({ type: "credit", id: 1, bytes: -credit });
    assert.ok(await isSilent(core), "nor when it is zero");
    core.send({ type: "credit", id: 1, bytes: 1 });
    const { body } = await core.next();
    assert.ok(body.length > 1, "one piece may take it below zero");
    assert.ok(await isSilent(core));
    core.send({ type: "cancel", id: 1, reason: "client_gone" });
    const last = await core.next();
    assert.deepEqual([last.type, last.id, last.more, last.body], ["data", 1, undefined, ""]);
    await worker.told(/\/for-ever is over\./);
    assert.ok(bytes < 200_000);
  });

  test(`${kind}: a response of megabytes comes whole, with credit as it is taken`, async (context) => {
    const { core } = await served(context, kind);
    core.request(1, "/long/3000000");
    const { content, pieces } = await response(core, 1);
    assert.equal(content.length, 3_000_000);
    assert.ok(Math.max(...pieces.map(({ length }) => length)) <= PIECE_BYTES);
  });

  test(`${kind}: pieces are no larger than the core takes`, async (context) => {
    const { core } = await served(context, kind, { limits: { ...STREAMING, bodyBytes: 1000 } });
    core.request(1, "/long/5500");
    const { pieces } = await response(core, 1);
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [1000, 1000, 1000, 1000, 1000, 500, 0],
    );
  });

  test(`${kind}: what is whole and too large for a frame leaves in pieces`, async (context) => {
    const { core } = await served(context, kind);
    core.request(1, "/whole");
    const { head, content } = await response(core, 1);
    assert.deepEqual([head.more, content.length], [true, 2_000_000]);
  });

  test(`${kind}: a cancelled one gets its final frame at once, and takes no place of the window`, async (context) => {
    const { core, worker } = await served(context, kind, { environment: { HANDOFF_CONCURRENCY: "1" } });
    for (const id of [1, 2, 3]) {
      core.request(id, `/waits/${id}`);
      const head = await core.next();
      assert.deepEqual([head.more, head.body], [true, "begun"]);
      core.send({ type: "cancel", id, reason: "client_gone" });
      core.send({ type: "ping" });
      const last = await core.next();
      assert.deepEqual([last.type, last.id, last.more], ["data", id, undefined]);
      assert.equal((await core.next()).type, "pong");
      core.send({ type: "credit", id, bytes: 1 });
      if (kind === "node") await worker.told(new RegExp(`/waits/${id} closed, unfinished`));
    }
    core.request(4, "/at-once");
    assert.equal((await core.next()).body, "one two three");
    assert.doesNotMatch(worker.output, /failed/, "a client that leaves is no error of the application");
  });

  test(`${kind}: what fails half-way is a failure, with its trace in the log`, async (context) => {
    const { core, worker } = await served(context, kind);
    core.request(1, "/fails");
    assert.equal((await core.next()).body, "half");
    const { type, id, message } = await core.next();
    assert.deepEqual([type, id], ["failure", 1]);
    assert.match(message, kind === "node" ? /failed in mid-stream|destroyed/ : /Error: failed in mid-stream/);
    if (kind !== "node") await worker.told(/GET \/fails failed: Error: failed in mid-stream\n\s+at /);
    core.request(2, "/fails-at-once");
    assert.deepEqual([(await core.next()).type, core.messages], ["failure", []]);
    assert.ok(await isSilent(core), "nothing follows");
  });

  test(`${kind}: an old core gets all of it in one frame`, async (context) => {
    const { core } = await served(context, kind, { limits: { jsonBytes: 1 << 20, bodyBytes: 1 << 20 } });
    core.request(1, "/turns");
    const { head, content } = await response(core, 1);
    assert.deepEqual([head.more, content], [undefined, "turn 1 turn 2 turn 3 "]);
    core.request(2, "/long/1100000");
    const { type, message } = await core.next();
    assert.equal(type, "failure");
    assert.match(message, /the body has more than the 1048576 bytes that the core takes|destroyed/);
  });

  test(`${kind}: the head of one does not wait behind the pieces of others, which take turns`, async (context) => {
    const { core, worker } = await served(context, kind);
    for (let id = 1; id <= STREAMS; id++) core.request(id, "/for-ever");
    const ids = new Set();
    for (let bytes = 0; bytes < STREAMS * PIECE_BYTES; ) {
      const { id, body } = await core.next();
      ids.add(id);
      bytes += body.length;
    }
    assert.equal(ids.size, STREAMS);
    await isSilent(core);
    core.messages = [];
    core.pause();
    for (let id = 1; id <= STREAMS; id++) core.send({ type: "credit", id, bytes: 1 << 20 });
    core.request(LATE, "/settles");
    await worker.told(/settled\./);
    core.request(LATE + 1, "/at-once");
    await worker.told(/\/at-once is over\./); // else its head waits for the worker, and not behind pieces
    core.resume();
    let before = 0;
    const pieces = [];
    for (let frame = await core.next(); frame.id !== LATE + 1; frame = await core.next()) before += frame.body.length;
    assert.ok(before < (STREAMS << 20) / 10, `${before} bytes came before, much less than there is credit for`);
    while (pieces.length < 4 * STREAMS) {
      const frame = await core.next();
      if (frame.id < LATE) pieces.push(frame.id);
    }
    const counts = [...ids].map((id) => pieces.filter((each) => each === id).length);
    assert.ok(Math.max(...counts) <= 2 * Math.min(...counts) + 1, `pieces of each: ${counts}`);
  });

  test(`${kind}: a drain lets it go on to its end`, async (context) => {
    const { core, worker } = await served(context, kind);
    core.request(1, "/waits/a");
    assert.equal((await core.next()).body, "begun");
    core.request(2, "/release/a");
    worker.signal("SIGTERM");
    const frames = [];
    while (frames.length < 4) frames.push(await core.next());
    const ofStream = frames.filter(({ id, type }) => id === 1 && type === "data");
    assert.deepEqual(
      ofStream.map(({ body, more }) => [body, more]),
      [
        ["released", true],
        ["", undefined],
      ],
    );
    core.end();
    assert.equal(await worker.ended(), 0);
  });

  test(`${kind}: nothing stays of those that have ended`, async (context) => {
    const limits = { ...STREAMING, streamBytes: 1000 };
    const { core } = await served(context, kind, { limits, environment: { NODE_OPTIONS: "--expose-gc" } });
    const used = [];
    for (let id = 1, round = 0; round < 5; round++, id++) {
      const open = new Set(Array.from({ length: MANY }, () => id++));
      for (const each of open) core.request(each, "/for-ever");
      for (let begun = 0; begun < MANY; ) begun += (await core.next()).type === "response" ? 1 : 0;
      for (const each of open) core.send({ type: "cancel", id: each, reason: "client_gone" });
      while (open.size > 0) {
        const { type, id: of, more } = await core.next();
        if (type === "data" && !more) open.delete(of);
      }
      core.request(id, "/heap");
      used.push(Number((await core.next()).body));
    }
    // Node itself takes some more now and then.
    assert.ok(Math.min(used[3], used[4]) - used[1] < LEFT_BYTES, `bytes in use after each round: ${used}`);
  });

  test(`${kind}: a core that is gone ends it`, async (context) => {
    const { core, worker } = await served(context, kind, { token: "" });
    core.request(1, "/for-ever");
    assert.equal((await core.next()).more, true);
    core.end();
    await worker.told(/\/for-ever is over\./);
  });
}

for (const kind of ["fetch", "plain"]) {
  test(`${kind}: a response in pieces does not keep the body of its request`, async (context) => {
    const { core } = await served(context, kind, { environment: { NODE_OPTIONS: "--expose-gc" } });
    const heap = async (id) => {
      core.request(id, "/heap");
      return Number((await core.next()).body);
    };
    const before = await heap(LATE);
    const body = Buffer.alloc(BODY_BYTES, "x");
    for (let id = 1; id <= STREAMS; id++) {
      const head = {
        type: "request",
        id,
        timeoutMillis: 30_000,
        method: "POST",
        target: `/waits/${id}`,
        version: "1.1",
      };
      core.send({ ...head, headers: [["host", "localhost"]], client: "127.0.0.1:1234" }, body);
      assert.equal((await core.next()).body, "begun");
    }
    const grown = (await heap(LATE + 1)) - before;
    assert.ok(grown < (STREAMS * BODY_BYTES) / 4, `${grown} bytes for ${STREAMS} bodies`);
  });

  test(`${kind}: the signal of a request whose response is under way is aborted with it`, async (context) => {
    const { core, worker } = await served(context, kind);
    core.request(1, "/signal");
    assert.equal((await core.next()).body, "begun");
    core.send({ type: "cancel", id: 1, reason: "client_gone" });
    await worker.told(/\/signal: AbortError/);
  });
}

test("fails responses in pieces, too, when nobody catches an exception", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/waits/a");
  assert.equal((await core.next()).more, true);
  core.request(2, "/uncaught");
  const frames = [await core.next(), await core.next(), await core.next()];
  assert.deepEqual(frames.map(({ type, id }) => [type, id]).sort(), [
    ["drain", undefined],
    ["failure", 1],
    ["failure", 2],
  ]);
  core.end();
  assert.equal(await worker.ended(), 1);
});

test("a listener of `drain` that throws harms no other request", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/throws-at-drain");
  assert.equal((await core.next()).body.length, PIECE_BYTES);
  core.request(2, "/turns");
  assert.equal((await core.next()).id, 2);
  core.send({ type: "credit", id: 1, bytes: 1 << 20 });
  await worker.told(/caught: at drain/);
  while ((await core.next()).id !== 2);
  core.request(3, "/at-once");
  for (let next = await core.next(); next.id !== 3; next = await core.next());
});

test("says once that an old core makes clients wait for the end of an event stream", async (context) => {
  const { core, worker } = await served(context, "node", { limits: { jsonBytes: 1 << 20, bodyBytes: 1 << 20 } });
  for (const id of [1, 2]) {
    core.request(id, "/events");
    assert.equal((await core.next()).body, "data: 1\n\ndata: 2\n\n");
  }
  await worker.told(/this core takes responses whole, so a text\/event-stream is sent when it ends/);
  assert.equal(worker.output.match(/takes responses whole/g).length, 1);
});

test("node: flushHeaders() sends the head at the end of the turn", async (context) => {
  const { core } = await served(context, "node");
  core.request(1, "/flushed");
  const head = await core.next();
  assert.deepEqual([head.status, head.headers, head.more, head.body], [201, [["x-early", "1"]], true, ""]);
  assert.equal((await core.next()).body, "late");
});

test("node: a content-length stays", async (context) => {
  const { core } = await served(context, "node");
  core.request(1, "/length");
  const { head, content } = await response(core, 1);
  assert.deepEqual([head.headers, head.more, content], [[["content-length", "5"]], true, "12345"]);
});

test("node: write() is false until there is credit, and then `drain` comes", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/drain");
  const { content } = await response(core, 1);
  assert.equal(content.length, 300_000);
  assert.match(worker.output, /write 0: false false\n/, "less than the first credit");
  assert.match(worker.output, /write 1: true true\n/);
  await worker.told(/\/drain closed, finished/);
});

test("node: write() calls back when its part has left", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/callbacks");
  assert.equal((await core.next()).body.length, PIECE_BYTES);
  await worker.told(/written 1/); // which was called for the turn in which the response began
  assert.ok(await isSilent(core));
  assert.doesNotMatch(worker.output, /written 2/);
  core.send({ type: "credit", id: 1, bytes: 1 << 20 });
  await worker.told(/written 3\nfinish/);
});

test("node: what has not left when the client leaves is called back with an error, and does not finish", async (context) => {
  const { core, worker } = await served(context, "node", { limits: { ...STREAMING, bodyBytes: 100_000 } });
  core.request(1, "/callback-of-broken");
  assert.equal((await core.next()).body.length, PIECE_BYTES);
  core.send({ type: "cancel", id: 1, reason: "slow_client" });
  assert.equal((await core.next()).more, undefined);
  await worker.told(/called back: the response was broken off/);
  await worker.told(/\/callback-of-broken closed/);
  assert.ok(await isSilent(core));
  assert.doesNotMatch(worker.output, /must not finish/);
});

test("node: a response that is destroyed half-way is a failure", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/destroyed");
  assert.equal((await core.next()).body, "half");
  const { type, message } = await core.next();
  assert.deepEqual([type, message], ["failure", "Error: given up"]);
  await worker.told(/\/destroyed closed, unfinished/);
});

test("node: what throws behind its end is sent all the same", async (context) => {
  const { core } = await served(context, "node", { limits: { ...STREAMING, bodyBytes: 100_000 } });
  core.request(1, "/throws-behind-end");
  const { content } = await response(core, 1);
  assert.equal(content.length, 200_000);
});

test("node: pipe() waits for credit", async (context) => {
  const { core } = await served(context, "node");
  core.request(1, "/piped");
  const { content } = await response(core, 1);
  assert.equal(content.length, 1_000_000);
});

test("node: events of a request whose client leaves in mid-stream", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(1, "/for-ever");
  await core.next();
  core.send({ type: "cancel", id: 1, reason: "client_gone" });
  await worker.told(/\/for-ever: request closed/);
  await worker.told(/\/for-ever closed, unfinished/);
  await worker.told(/pipeline: Premature close/);
  await worker.told(/\/for-ever is over/);
});

test("fetch: a stream that is silent is cancelled at once", async (context) => {
  const { core, worker } = await served(context, "fetch");
  core.request(1, "/silent");
  const head = await core.next();
  assert.deepEqual([head.more, head.body], [true, ""], "the head does not wait for content");
  core.send({ type: "cancel", id: 1, reason: "no_content" });
  assert.equal((await core.next()).more, undefined);
  await worker.told(/\/silent is over: AbortError/);
});

test("fetch: a stream of something else than bytes fails", async (context) => {
  const { core } = await served(context, "fetch");
  core.request(1, "/no-bytes");
  assert.match((await core.next()).message, /gives no Uint8Array/);
});

test("plain: a Readable is destroyed, an iterator is told", async (context) => {
  const { core, worker } = await served(context, "plain");
  for (const [id, target] of [
    [1, "/readable"],
    [2, "/sync"],
  ]) {
    core.request(id, target);
    assert.equal((await core.next()).more, true);
    core.send({ type: "cancel", id, reason: "client_gone" });
    await worker.told(new RegExp(`${target} is over`));
    for (let last = await core.next(); last.more; last = await core.next());
  }
});

test("plain: an iterable of something else than text and bytes fails", async (context) => {
  const { core } = await served(context, "plain");
  core.request(1, "/numbers");
  assert.match((await core.next()).message, /a part of the response's body is 1, not a string or bytes/);
});
