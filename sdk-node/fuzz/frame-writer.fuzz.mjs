import assert from "node:assert/strict";
import { FrameReader } from "../src/protocol/frame-reader.mjs";
import { FrameTooLarge, FrameWriter } from "../src/protocol/frame-writer.mjs";
import { Input } from "./support/input.mjs";

const LIMITS = { jsonBytes: 40_000, bodyBytes: 200_000 };
/** Around the lengths at which the writer copies, splits or takes another buffer. */
const LENGTHS = [0, 1, 100, 5461, 5462, 16_384, 16_385, 21_845, 40_001, 65_528, 65_536, 200_000, 200_001];

/**
 * What a reader makes of the written bytes is what was added, in order, however often it is flushed and however late
 * buffers come back. A frame past a limit is refused, and leaves no byte behind.
 */
export function fuzz(data) {
  const input = new Input(data);
  const added = [];
  const read = [];
  const reader = new FrameReader((json, body) => read.push([json, body.toString("latin1")]));
  reader.limits = LIMITS;
  let owed = [];
  const writer = new FrameWriter((chunks, written) => {
    for (const chunk of chunks) {
      assert.ok(chunk.length > 0, "no empty chunk is written");
      reader.read(Buffer.from(chunk), chunk.length);
    }
    owed.push(written);
  });
  writer.limits = LIMITS;
  for (let steps = 0; steps < 24 && !input.isUsedUp; steps++) {
    switch (input.choice(4)) {
      case 0:
        writer.flush();
        break;
      case 1:
        for (const written of owed) written();
        owed = [];
        break;
      default:
        add(writer, `"${stretched(input)}"`, bodyOf(input), added);
    }
  }
  writer.flush();
  assert.ok(writer.isEmpty);
  assert.deepEqual(read, added);
}

/** @param {FrameWriter} writer @param {string} json @param {string | Uint8Array} body @param {[string, string][]} added */
function add(writer, json, body, added) {
  const bytes = Buffer.from(body);
  const fits = Buffer.byteLength(json) <= LIMITS.jsonBytes && bytes.length <= LIMITS.bodyBytes;
  try {
    writer.add(json, body);
    assert.ok(fits, "what is past a limit is refused");
    added.push([Buffer.from(json).toString(), bytes.toString("latin1")]);
  } catch (error) {
    if (!(error instanceof FrameTooLarge)) throw error;
    assert.ok(!fits, `refused, though it is within the limits: ${error.message}`);
  }
}

/** @param {Input} input */
function stretched(input) {
  const text = input.text() || "x";
  return text.repeat(Math.ceil(input.one(LENGTHS) / 4 / text.length) || 1);
}

/** @param {Input} input @returns {string | Uint8Array} */
function bodyOf(input) {
  const length = input.one(LENGTHS) + input.choice(3);
  const fill = input.text() || "y";
  return input.choice(2) === 0
    ? fill.repeat(Math.ceil(length / fill.length)).slice(0, length)
    : Buffer.alloc(length, 0x79);
}
