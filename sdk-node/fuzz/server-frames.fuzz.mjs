import assert from "node:assert/strict";
import { BadFrame, messageFrame, ServerFrames } from "../src/web-socket/server-frames.mjs";
import { Input } from "./support/input.mjs";

const MOST_BYTES = 600;

/**
 * The frames of an application, whole, byte by byte or cut anywhere, say the same, and no message is longer than the core takes. And a
 * message comes back: what is made for the application, without its mask, is what the application could have sent.
 */
export function fuzz(data) {
  const input = new Input(data);
  const cuts = input.several(6, () => input.choice(64) + 1);
  const bytes = input.rest();
  const whole = read(bytes, [bytes.length || 1]);
  assert.deepEqual(read(bytes, [1]), whole);
  assert.deepEqual(read(bytes, cuts.length === 0 ? [7] : cuts), whole);
  if (bytes.length <= MOST_BYTES) {
    assert.deepEqual(read(unmasked(messageFrame(bytes), bytes.length), [5]), {
      said: [["message", bytes.toString("latin1")]],
      fault: undefined,
    });
  }
}

/** @param {Buffer} bytes @param {number[]} lengths taken in turn */
function read(bytes, lengths) {
  const said = [];
  const frames = new ServerFrames(MOST_BYTES, {
    message: (message) => {
      assert.ok(message.length <= MOST_BYTES);
      said.push(["message", typeof message === "string" ? `text ${message}` : message.toString("latin1")]);
    },
    ping: (payload) => said.push(["ping", payload.toString("latin1")]),
    close: (code, reason) => said.push(["close", code, reason]),
  });
  let fault;
  try {
    for (let at = 0, turn = 0; at < bytes.length; turn++) {
      const end = Math.min(bytes.length, at + lengths[turn % lengths.length]);
      const part = Buffer.from(bytes.subarray(at, end));
      frames.read(part);
      part.fill(0xff);
      at = end;
    }
  } catch (error) {
    if (!(error instanceof BadFrame)) throw error;
    fault = error.message;
  }
  return { said, fault };
}

/** @param {Buffer} frame whose mask is zeros @param {number} length of its payload */
function unmasked(frame, length) {
  const server = Buffer.concat([frame.subarray(0, frame.length - length - 4), frame.subarray(frame.length - length)]);
  server[1] &= 0x7f;
  return server;
}
