// What waits in a worker in thousands of small parts, as of a handler that writes lines or a client that sends a byte at a time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Queue } from "../src/protocol/queue.mjs";
import { RequestBody } from "../src/protocol/request-body.mjs";
import { ResponseStream } from "../src/protocol/response-stream.mjs";

const PIECE_BYTES = 64 * 1024;
const MANY = 200_000;

/** A response whose frames are kept, and which has credit for nothing behind its head. */
function response(limits = { bodyBytes: 1 << 20, streamBytes: 1 }) {
  const frames = [];
  const outlet = {
    send: (json, body) => frames.push({ json, body }),
    takesPieces: true,
    awaitTurn: () => {},
    afterFlush: (callback) => frames.push(callback),
  };
  const stream = new ResponseStream({ id: 7 }, limits, outlet, () => {});
  stream.begin("head", Buffer.from("-"));
  frames.length = 0;
  return { stream, frames };
}

test("a queue gives in order what it was given, also while more is added", () => {
  const queue = new Queue();
  let added = 0;
  let taken = 0;
  assert.equal(queue.take(), undefined);
  for (let round = 0; round < 3000; round++) {
    for (let i = 0; i < round % 7; i++) queue.add(added++);
    for (let i = 0; i < round % 5; i++) {
      const first = queue.first;
      const item = queue.take();
      assert.equal(item, first);
      if (item !== undefined) assert.equal(item, taken++);
      assert.equal(queue.length, added - taken);
    }
  }
  assert.deepEqual(
    queue.clear(),
    Array.from({ length: added - taken }, (_, i) => taken + i),
  );
  assert.equal(queue.length, 0);
});

test("small parts of a response that waited leave in few pieces", () => {
  const { stream, frames } = response();
  for (let i = 0; i < MANY; i++) stream.write(Buffer.from(`${i}\n`));
  assert.equal(frames.length, 0);
  stream.end();
  stream.grant(Number.MAX_SAFE_INTEGER);
  const pieces = frames.slice(0, -1).map(({ body }) => body);
  assert.ok(pieces.every(({ length }) => length <= PIECE_BYTES));
  const content = Buffer.concat(pieces).toString();
  assert.equal(content, Array.from({ length: MANY }, (_, i) => `${i}\n`).join(""));
  assert.ok(frames.length < 3 + (2 * content.length) / PIECE_BYTES, `${frames.length} frames`);
  assert.equal(stream.waitingBytes, 0);
});

test("who waits until a small part has left is called behind the piece that it left with", () => {
  const { stream, frames } = response();
  const called = [() => {}, () => {}, () => {}];
  for (const callback of called) {
    stream.write(Buffer.from("part"));
    stream.afterWritten(callback);
  }
  stream.grant(1);
  assert.equal(frames[0].body.toString(), "partpartpart");
  assert.deepEqual(frames.slice(1), called);
});

test("a piece has no more than the core takes, however many parts waited", () => {
  const { stream, frames } = response({ bodyBytes: 10, streamBytes: 1 });
  for (let i = 0; i < 5; i++) stream.write(Buffer.from("abcd"));
  stream.grant(100);
  assert.deepEqual(
    frames.map(({ body }) => body.toString()),
    ["abcdabcd", "abcdabcd", "abcd"],
  );
});

test("bytes of a request that nobody has taken are joined", () => {
  let granted = 0;
  const body = new RequestBody(Buffer.alloc(0), (bytes) => {
    granted += bytes;
  });
  const sent = Buffer.alloc(MANY);
  for (let i = 0; i < MANY; i++) sent[i] = i % 251;
  for (let i = 0; i < MANY; i++) body.add(sent.subarray(i, i + 1), true);
  const large = Buffer.alloc(PIECE_BYTES, "x");
  body.add(large, true);
  body.add(Buffer.from("end"), false);
  const taken = [];
  for (let piece = body.take(); piece !== undefined; piece = body.take()) taken.push(piece);
  assert.ok(Buffer.concat(taken).equals(Buffer.concat([sent, large, Buffer.from("end")])));
  assert.ok(taken.length < MANY / 1000, `${taken.length} pieces`);
  assert.ok(body.isAtEnd);
  assert.equal(granted, 0, "all of it is there");
});

test("a few pieces that wait stay as they came", () => {
  const body = new RequestBody(Buffer.alloc(0), () => {});
  const pieces = ["one", "two", "three"].map((text) => Buffer.from(text));
  for (const piece of pieces) body.add(piece, true);
  for (const piece of pieces) assert.equal(body.take(), piece);
});
