import assert from "node:assert/strict";
import { EventEmitter, on } from "node:events";
import { test } from "node:test";
import { events } from "handoff-worker";
import { app } from "./support/serving.mjs";
import { STREAMING, TestCore } from "./support/test-core.mjs";

async function framed(...items) {
  let text = "";
  for await (const part of events(items).body) text += part;
  return text;
}

test("frames events as the HTML standard has them", async () => {
  assert.equal(await framed("one"), "data: one\n\n");
  assert.equal(await framed("one", "two"), "data: one\n\ndata: two\n\n");
  assert.equal(await framed(""), "data: \n\n");
  assert.equal(await framed("a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
  assert.equal(await framed("a\n"), "data: a\ndata: \n\n");
  assert.equal(await framed(" grüße: "), "data:  grüße: \n\n");
  assert.equal(
    await framed({ data: "x\ny", event: "tick", id: "7", retry: 5000 }),
    "event: tick\nid: 7\nretry: 5000\ndata: x\ndata: y\n\n",
  );
  assert.equal(await framed({ id: "" }), "id: \n\n", "which forgets the last id");
});

test("refuses what would end its field, and what is no event", async () => {
  for (const [item, complaint] of [
    [{ data: "x", event: "a\nb" }, /event holds a line end or NUL/],
    [{ data: "x", id: "a\rb" }, /id holds a line end or NUL/],
    [{ data: "x", id: "a\0" }, /id holds a line end or NUL/],
    [{ data: { a: 1 } }, /data is a object, not a string: encode it as JSON/],
    [{ data: "x", event: 1 }, /event is a number, not a string/],
    [{ data: "x", retry: 1.5 }, /retry is 1.5, not a whole number of milliseconds/],
    [{ data: "x", retry: -1 }, /retry is -1/],
    [{ data: "x", retry: "1\n" }, /retry is 1/],
    [{}, /an event has data, an event, an id or a retry/],
    [7, /an event is a string or \{ data, event, id, retry \}, not number/],
    [null, /not null/],
  ]) {
    await assert.rejects(framed(item), { name: "TypeError", message: complaint });
  }
  for (const source of [undefined, null, 7, {}, () => []]) {
    assert.throws(() => events(source), { name: "TypeError", message: /takes an iterable/ });
  }
});

test("tells its source when nobody listens any more, also while that waits for the next event", async () => {
  const emitter = new EventEmitter();
  const iterator = events(on(emitter, "tick")).body[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await iterator.return();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  assert.equal(emitter.listenerCount("tick"), 0);
});

test("sends each event at once, and closes the source when the client leaves", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, app("events.mjs"));
  await core.welcome(STREAMING);
  core.request(1, "/");
  const head = await core.next();
  assert.deepEqual(head.headers, [
    ["content-type", "text/event-stream"],
    ["cache-control", "no-store"],
  ]);
  assert.deepEqual([head.more, head.body], [true, ""], "before there is an event");
  core.request(2, "/emit");
  assert.deepEqual([await core.next(), await core.next()].map(({ id, body }) => [id, body]).sort(), [
    [1, "data: tick\n\n"],
    [2, "emitted"],
  ]);
  core.send({ type: "cancel", id: 1, reason: "client_gone" });
  assert.equal((await core.next()).more, undefined);
  await worker.told(/listeners: 0/);
});
