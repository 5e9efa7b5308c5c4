import assert from "node:assert/strict";
import { readMessage } from "../src/protocol/core-message.mjs";
import { BrokenFrame } from "../src/protocol/frame-reader.mjs";
import { PlainRequest } from "../src/protocol/plain-request.mjs";
import { RequestBody } from "../src/protocol/request-body.mjs";
import { beginsRequest, hasMore, parseHead, readHead } from "../src/protocol/request-json.mjs";
import { Input } from "./support/input.mjs";
import { assertWork } from "./support/work.mjs";

const NO_BODY = Buffer.alloc(0);
const KEYS = ["id", "timeoutMillis", "method", "target", "version", "headers", "client", "requestId"];
/** What is not cut is parsed whole: once for the head, or once for its end. */
const MOST_PARSES = 2;

/**
 * A request that was cut out of its JSON says what JSON.parse says of it. Text that is no request is refused, by
 * nothing but these two errors, and neither costs more than reading it twice.
 */
export function fuzz(data) {
  const input = new Input(data);
  if (input.choice(2) === 0) {
    const request = { ...requestOf(input), more: input.one([undefined, undefined, null, false, true]) };
    const json = JSON.stringify(request);
    const expected = Object.fromEntries(KEYS.map((key) => [key, request[key] ?? undefined]));
    assert.deepEqual(cut(json), expected);
    assert.equal(hasMore(json, input.choice(2)), request.more === true);
    assert.deepEqual(told(parseHead(readMessage(json, 0))), expected);
  } else {
    const json = `{"type":"request","id":${input.rest().toString("utf8")}`;
    assertWork(() => {
      try {
        cut(json);
      } catch (error) {
        if (!(error instanceof BrokenFrame || error instanceof SyntaxError)) throw error;
      }
    }, MOST_PARSES * json.length);
  }
}

/** In the core's order, or any key somewhere else. @param {Input} input */
function requestOf(input) {
  const request = {
    type: "request",
    id: input.number(65_535),
    timeoutMillis: input.number(65_535),
    method: input.text(),
    target: input.text(),
    version: input.one(["1.1", "1.0", input.text()]),
    headers: input.several(6, () => [input.text(), input.text()]),
    client: input.text(),
    requestId: input.one([undefined, null, input.text()]),
  };
  const moved = input.one([undefined, undefined, ...KEYS.slice(1)]);
  if (moved === undefined) return request;
  const { [moved]: value, ...others } = request;
  return { ...others, unknown: input.text(), [moved]: value };
}

/** @param {string} json */
function cut(json) {
  assert.ok(beginsRequest(json));
  return told(readHead(json));
}

/** All that a handler sees of a head. @param {import("../src/protocol/plain-request.mjs").Head} head */
function told(head) {
  const request = new PlainRequest(head, NO_BODY, new RequestBody(NO_BODY, () => {}));
  return Object.fromEntries(KEYS.map((key) => [key, request[key]]));
}
