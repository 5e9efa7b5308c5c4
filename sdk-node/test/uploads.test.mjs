// Requests in pieces (docs/PROTOCOL.md), as the core sends them.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { STREAMING, TestCore } from "./support/test-core.mjs";

const KINDS = ["node", "fetch", "stream"];
const PIECE_BYTES = 64 * 1024;
const CREDIT_BYTES = 256 * 1024;

async function served(context, kind, how = {}) {
  const core = new TestCore(context);
  const worker = core.start(context, app("uploads.mjs"), { words: [kind], ...how });
  await core.welcome(STREAMING);
  return { core, worker };
}

const digest = (content) => `${content.length} ${createHash("sha256").update(content).digest("hex").slice(0, 16)}`;

/** One upload, which keeps to its credit and sees that no more is granted than was sent. */
class Upload {
  sent = 0;
  granted = 0;
  #core;

  constructor(core, id, target, { first = Buffer.alloc(0), headers = [], method = "POST" } = {}) {
    this.#core = core;
    this.id = id;
    this.sent = first.length;
    const fields = { method, headers: [["host", "localhost"], ...headers], more: true };
    core.send(
      { type: "request", id, timeoutMillis: 30_000, target, version: "1.1", client: "127.0.0.1:1234", ...fields },
      first,
    );
  }

  get credit() {
    return CREDIT_BYTES + this.granted - this.sent;
  }

  piece(content, more = true) {
    assert.ok(this.credit > 0 || content.length === 0, "there is credit");
    this.sent += content.length;
    this.#core.send({ type: "data", id: this.id, more: more || undefined }, content);
  }

  last() {
    this.piece(Buffer.alloc(0), false);
  }

  take({ type, id, bytes }) {
    assert.deepEqual([type, id], ["credit", this.id]);
    this.granted += bytes;
    assert.ok(this.granted <= this.sent, "credit is granted for what was taken");
  }

  /** Sends as much as there is credit for. */
  fill() {
    while (this.credit > 0) this.piece(Buffer.alloc(PIECE_BYTES, "x"));
  }

  /** Sends all of it as credit comes, and returns the first frame that is no credit. */
  async rest(content, pieceBytes = PIECE_BYTES) {
    for (let at = 0; at < content.length; at += pieceBytes) {
      while (this.credit <= 0) this.take(await this.#core.next());
      this.piece(content.subarray(at, at + pieceBytes));
    }
    this.last();
    return this.response();
  }

  async response() {
    let frame = await this.#core.next();
    for (; frame.type === "credit"; frame = await this.#core.next()) this.take(frame);
    assert.deepEqual([frame.type, frame.id], ["response", this.id], frame.message);
    return frame;
  }
}

/** Whether the worker sends nothing but the answer to a ping. */
async function isSilent(core) {
  core.send({ type: "ping" });
  return (await core.next()).type === "pong";
}

for (const kind of [...KINDS, "plain"]) {
  test(`${kind}: a request in pieces is read to its end`, async (context) => {
    const { core } = await served(context, kind);
    const content = randomBytes(3_000_000);
    const { body } = await new Upload(core, 1, "/all").rest(content);
    assert.equal(body, digest(content));
  });

  test(`${kind}: pieces of one byte, and empty ones`, async (context) => {
    const { core } = await served(context, kind);
    const content = randomBytes(2000);
    const upload = new Upload(core, 1, "/all", { first: content.subarray(0, 1) });
    upload.piece(Buffer.alloc(0));
    const { body } = await upload.rest(content.subarray(1), 1);
    assert.equal(body, digest(content));
    assert.equal(upload.granted, 0, "so little needs no credit");
  });

  test(`${kind}: a whole request is none in pieces, however large it is`, async (context) => {
    const { core } = await served(context, kind);
    const content = randomBytes(9 << 20);
    core.send(
      {
        ...{ type: "request", id: 1, timeoutMillis: 30_000, method: "POST", target: "/all", version: "1.1" },
        ...{ headers: [["host", "localhost"]], client: "127.0.0.1:1234" },
      },
      content,
    );
    assert.equal((await core.next()).body, digest(content));
  });

  test(`${kind}: pieces of unknown and answered ids are ignored`, async (context) => {
    const { core } = await served(context, kind);
    core.send({ type: "data", id: 99, more: true }, "x");
    const upload = new Upload(core, 1, "/all");
    assert.equal((await upload.rest(Buffer.from("content"))).body, digest(Buffer.from("content")));
    core.send({ type: "data", id: 1, more: true }, "x");
    core.send({ type: "data", id: 1 }, "x");
    assert.ok(await isSilent(core));
  });

  test(`${kind}: two uploads at once beside small requests`, async (context) => {
    const { core } = await served(context, kind);
    const content = [randomBytes(1_000_000), randomBytes(1_000_000)];
    const uploads = [new Upload(core, 1, "/all"), new Upload(core, 2, "/all")];
    const answers = new Map();
    const take = async () => {
      const frame = await core.next();
      if (frame.type === "credit") uploads[frame.id - 1].take(frame);
      else answers.set(frame.id, frame.body);
    };
    for (let at = 0, id = 3; at < 1_000_000; at += 50_000, id++) {
      for (const [i, upload] of uploads.entries()) {
        while (upload.credit <= 0) await take();
        upload.piece(content[i].subarray(at, at + 50_000));
      }
      core.request(id, "/small");
      while (!answers.has(id)) await take();
      assert.equal(answers.get(id), "small");
    }
    for (const upload of uploads) upload.last();
    while (!answers.has(1) || !answers.has(2)) await take();
    assert.deepEqual([answers.get(1), answers.get(2)], content.map(digest));
  });
}

for (const kind of KINDS) {
  test(`${kind}: begins with the head, and grants nothing for what nobody reads`, async (context) => {
    const { core, worker } = await served(context, kind);
    const upload = new Upload(core, 1, "/waits");
    await worker.told(/\/waits begins/);
    upload.fill();
    assert.ok(await isSilent(core), "no credit comes");
    core.request(2, "/release");
    const frames = [await core.next(), await core.next()];
    assert.deepEqual(frames.map(({ type }) => type).sort(), ["credit", "response"]);
    upload.take(frames.find(({ type }) => type === "credit"));
    assert.ok(upload.granted >= CREDIT_BYTES / 2, "in steps of half of it");
    upload.last();
    assert.equal((await upload.response()).body, digest(Buffer.alloc(upload.sent, "x")));
  });

  test(`${kind}: a response may come before the body; the rest is dropped without credit`, async (context) => {
    const { core } = await served(context, kind);
    const upload = new Upload(core, 1, "/early");
    assert.equal((await upload.response()).body, "early");
    upload.fill();
    assert.ok(await isSilent(core));
    upload.last();
    core.request(2, "/small");
    assert.equal((await core.next()).body, "small");
  });

  test(`${kind}: who leaves the body half-way gets no more of it`, async (context) => {
    const { core } = await served(context, kind);
    if (kind === "node") return; // where leaving the loop destroys the request, and so its connection
    const upload = new Upload(core, 1, "/first", { first: Buffer.from("12345") });
    assert.equal((await upload.response()).body, "first 5");
    upload.fill();
    assert.ok(await isSilent(core));
  });

  test(`${kind}: a cancel in mid-body ends the body`, async (context) => {
    const { core, worker } = await served(context, kind, { environment: { HANDOFF_CONCURRENCY: "1" } });
    const upload = new Upload(core, 1, "/all", { first: Buffer.from("half") });
    await worker.told(/\/all begins/);
    core.send({ type: "cancel", id: 1, reason: "client_gone" });
    const { type, id } = await core.next();
    assert.deepEqual([type, id], ["failure", 1]);
    await worker.told(kind === "node" ? /\/all: Error: ECONNRESET aborted/ : /\/all: AbortError/);
    if (kind === "node") await worker.told(/\/all: aborted[\s\S]*\/all: close/);
    upload.piece(Buffer.from("late"));
    assert.ok(await isSilent(core));
  });

  test(`${kind}: a worker goes on after a read that nobody awaits was cut off`, async (context) => {
    const { core, worker } = await served(context, kind);
    for (const [id, target] of ["/floating", "/wrapped"].entries()) {
      const answered = new Upload(core, id, target, { first: Buffer.from("12345") });
      assert.equal((await answered.response()).body, "early");
    }
    await worker.told(/this worker goes on, although no handler handles what tells it of the end of a request/);
    await worker.told(/TypeError: not saved/);
    assert.equal((await new Upload(core, 2, "/small").response()).body, "small");
  });

  test(`${kind}: a core that is gone ends the body`, async (context) => {
    const { core, worker } = await served(context, kind, { token: "" });
    new Upload(core, 1, "/all", { first: Buffer.from("half") });
    await worker.told(/\/all begins/);
    core.end();
    await worker.told(kind === "node" ? /\/all: Error: ECONNRESET aborted/ : /\/all: AbortError/);
  });
}

test("plain: is called with the whole body, which a cancel before it keeps from it", async (context) => {
  const { core, worker } = await served(context, "plain", { environment: { HANDOFF_CONCURRENCY: "1" } });
  const upload = new Upload(core, 1, "/cancelled", { first: Buffer.from("half") });
  core.send({ type: "cancel", id: 1, reason: "client_gone" });
  const { type, id, message } = await core.next();
  assert.deepEqual([type, id, message], ["failure", 1, "cancelled before its body was whole: client_gone"]);
  upload.last();
  assert.equal(
    (await new Upload(core, 2, "/joined-stream").rest(Buffer.from("ab"), 1)).body,
    digest(Buffer.from("ab")),
  );
  assert.doesNotMatch(worker.output, /\/cancelled begins/);
});

test("node: pipeline(), pause() and an echo keep to the credit", async (context) => {
  const { core, worker } = await served(context, "node");
  const content = randomBytes(2_000_000);
  const piped = await new Upload(core, 1, "/piped").rest(content);
  assert.equal(piped.body, digest(content).split(" ")[1]);
  await worker.told(/\/piped: end/);

  const paused = new Upload(core, 2, "/paused");
  paused.fill();
  assert.ok(await isSilent(core));
  core.request(3, "/release");
  let next = await core.next();
  for (; next.id === 2; next = await core.next()) paused.take(next);
  assert.equal(next.body, "released");
  paused.last();
  assert.equal((await paused.response()).body, `${paused.sent} true`);
});

test("node: a request that is read when its response ends is aborted", async (context) => {
  const { core, worker } = await served(context, "node");
  const upload = new Upload(core, 1, "/early-while-reading", { first: Buffer.from("12345") });
  assert.equal((await upload.response()).body, "early");
  await worker.told(/\/early-while-reading: ECONNRESET aborted/);
});

test("node: a request that is whole is read on after its response", async (context) => {
  const { core, worker } = await served(context, "node");
  core.request(
    1,
    "/collected",
    {
      method: "POST",
      headers: [
        ["host", "localhost"],
        ["content-length", "5"],
      ],
    },
    "12345",
  );
  assert.equal((await core.next()).body, "early");
  await worker.told(/\/collected: 5 bytes\./);
});

test("node: a request that is dropped by resume() ends with its response", async (context) => {
  const { core, worker } = await served(context, "node");
  const upload = new Upload(core, 1, "/dropped", { first: Buffer.from("12345") });
  assert.equal((await upload.response()).body, "early");
  await worker.told(/\/dropped: end\.\n\/dropped: close/);
  assert.doesNotMatch(worker.output, /aborted/);
});

test("node: a request that is about to be read when its response ends is aborted", async (context) => {
  const { core, worker } = await served(context, "node");
  const upload = new Upload(core, 1, "/collected", { first: Buffer.from("12345") });
  assert.equal((await upload.response()).body, "early");
  await worker.told(/\/collected: ECONNRESET aborted/);
  assert.doesNotMatch(worker.output, /\/collected: end/);
});

test("fetch: a worker goes on after the signal of a request has ended what nobody awaits", async (context) => {
  const { core, worker } = await served(context, "fetch");
  core.request(1, "/aborted");
  core.request(2, "/small");
  assert.equal((await core.next()).body, "small");
  core.send({ type: "cancel", id: 1, reason: "client_gone" });
  assert.deepEqual((await core.next()).id, 1);
  await worker.told(/this worker goes on, although/);
  core.request(3, "/small");
  assert.deepEqual((await core.next()).id, 3);
});

test("node: a request that nobody reads ends with its response", async (context) => {
  const { core, worker } = await served(context, "node");
  const upload = new Upload(core, 1, "/early", { first: Buffer.from("12345") });
  assert.equal((await upload.response()).body, "early");
  await worker.told(/\/early: end\.\n\/early: close/);
  assert.doesNotMatch(worker.output, /aborted/);
});

const BOUNDARY = "a-boundary";
const TEXT = Buffer.from(JSON.stringify({ text: "x".repeat(20_000_000) }));

function form(file) {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]);
}

async function upload(core, id, target, type, content) {
  const headers = [
    ["content-type", type],
    ["content-length", String(content.length)],
  ];
  const { status, body } = await new Upload(core, id, target, { headers }).rest(content);
  return [status, body];
}

for (const [kind, targets] of [
  ["express", ["/raw"]],
  ["fetch", ["/array-buffer", "/clone"]],
]) {
  test(`${kind}: uploads of 20 MB as bytes, JSON and a form`, async (context) => {
    const { core } = await served(context, kind);
    const content = randomBytes(20_000_000);
    let id = 1;
    for (const target of targets) {
      assert.deepEqual(await upload(core, id++, target, "application/octet-stream", content), [200, digest(content)]);
    }
    assert.deepEqual(await upload(core, id++, "/json", "application/json", TEXT), [200, "20000000"]);
    const type = `multipart/form-data; boundary=${BOUNDARY}`;
    assert.deepEqual(await upload(core, id++, "/form", type, form(content)), [200, digest(content)]);
  });
}

for (const kind of ["fastify", "koa"]) {
  test(`${kind}: reads a JSON body of 20 MB, and a stream`, async (context) => {
    const { core } = await served(context, kind);
    assert.deepEqual(await upload(core, 1, "/json", "application/json", TEXT), [200, "20000000"]);
    const content = randomBytes(3_000_000);
    assert.deepEqual(await upload(core, 2, "/stream", "application/octet-stream", content), [200, digest(content)]);
  });
}

test("express: refuses what is too large for its parser, and goes on", async (context) => {
  const { core } = await served(context, "express");
  assert.deepEqual(await upload(core, 1, "/too-large", "application/json", TEXT.subarray(0, 2_000_000)), [
    413,
    "too large",
  ]);
  assert.deepEqual(await upload(core, 2, "/json", "application/json", TEXT), [200, "20000000"]);
});

test("fetch: text, a form of too many fields, and a response made of the request's stream", async (context) => {
  const { core } = await served(context, "fetch");
  const text = Buffer.from("ä".repeat(1_000_000));
  assert.deepEqual(await upload(core, 1, "/text", "text/plain", text), [200, digest(text)]);
  const fields = Buffer.from("a&".repeat(500_000));
  assert.deepEqual(await upload(core, 2, "/form", "application/x-www-form-urlencoded", fields), [
    400,
    "the body is not a form: it has more than 1000 fields\n",
  ]);
  const echo = new Upload(core, 3, "/echo", { first: Buffer.from("one ") });
  assert.deepEqual([(await echo.response()).more], [true]);
  echo.piece(Buffer.from("two"));
  let body = "";
  for (let more = true; more; ) {
    const frame = await core.next();
    body += frame.body;
    more = frame.more;
    if (body.endsWith("two")) echo.last();
  }
  assert.match(body, /two$/);
});
