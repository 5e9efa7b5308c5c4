import assert from "node:assert/strict";

/**
 * Runs code and counts, instead of seconds, what grows with bad input: the bytes that buffers copy, and the characters that
 * JSON.parse reads.
 *
 * @param {() => void} run
 * @param {number} most how many there may be
 */
export function assertWork(run, most) {
  const { copy } = Buffer.prototype;
  const { parse } = JSON;
  let work = 0;
  Buffer.prototype.copy = function (...where) {
    const copied = copy.apply(this, where);
    work += copied;
    return copied;
  };
  JSON.parse = (text, reviver) => {
    work += text.length;
    return parse(text, reviver);
  };
  try {
    run();
  } finally {
    Buffer.prototype.copy = copy;
    JSON.parse = parse;
  }
  assert.ok(work <= most, `${work} bytes were copied or parsed, where ${most} should do`);
}
