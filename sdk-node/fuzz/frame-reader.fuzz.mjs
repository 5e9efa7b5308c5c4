import assert from "node:assert/strict";
import { BrokenFrame, FrameReader } from "../src/protocol/frame-reader.mjs";
import { Input } from "./support/input.mjs";
import { assertWork } from "./support/work.mjs";

const LIMITS = { jsonBytes: 600, bodyBytes: 600 };
/** A frame of three bytes of JSON is the shortest that may be taken. */
const SHORTEST_FRAME_BYTES = 10;
/** Each byte into the held head, once more when that grows, and into a body. */
const MOST_COPIES = 4;

/** Whole, byte by byte or cut anywhere, a stream of bytes gives the same frames and the same error, for work in proportion. */
export function fuzz(data) {
  const input = new Input(data);
  const cuts = input.several(6, () => input.choice(64) + 1);
  const bytes = input.rest();
  const whole = read(bytes, [bytes.length || 1]);
  assert.ok(whole.frames.length * SHORTEST_FRAME_BYTES <= bytes.length);
  assert.deepEqual(read(bytes, [1]), whole);
  assert.deepEqual(read(bytes, cuts.length === 0 ? [7] : cuts), whole);
}

/** As a socket reads: always into the same buffer. @param {Buffer} bytes @param {number[]} lengths taken in turn */
function read(bytes, lengths) {
  const frames = [];
  const reader = new FrameReader((json, body) => frames.push([json, body]));
  reader.limits = LIMITS;
  const buffer = Buffer.alloc(Math.max(...lengths));
  let fault;
  assertWork(() => {
    try {
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const end = Math.min(bytes.length, at + lengths[turn % lengths.length]);
        buffer.set(bytes.subarray(at, end));
        reader.read(buffer, end - at);
        buffer.fill(0xff);
        at = end;
      }
    } catch (error) {
      if (!(error instanceof BrokenFrame)) throw error;
      fault = error.message;
    }
  }, MOST_COPIES * bytes.length);
  for (const [json, body] of frames) {
    assert.ok(Buffer.byteLength(json) <= MOST_COPIES * LIMITS.jsonBytes && body.length <= LIMITS.bodyBytes);
  }
  return { frames: frames.map(([json, body]) => [json, body.toString("latin1")]), fault };
}
