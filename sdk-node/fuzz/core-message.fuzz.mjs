import assert from "node:assert/strict";
import { readMessage } from "../src/protocol/core-message.mjs";
import { BrokenFrame } from "../src/protocol/frame-reader.mjs";
import { Input } from "./support/input.mjs";

const TYPES = [
  "welcome",
  "refused",
  "request",
  "credit",
  "cancel",
  "drain",
  "ping",
  "pong",
  "hasOwnProperty",
  "data",
  "message",
  "close",
];
const KEYS =
  "protocol worker limits server code message id timeoutMillis method target version headers client reason bytes features more websocket text".split(
    " ",
  );
const VALUES = [
  0,
  1,
  1.5,
  -1,
  1e300,
  "",
  "x",
  null,
  true,
  [],
  {},
  { jsonBytes: 1, bodyBytes: 0 },
  { jsonBytes: -1 },
  { jsonBytes: 1, bodyBytes: 0, streamBytes: 2 ** 53 },
  [["a", "b"]],
];
/** Which of them each type of message brings, and how a worker uses them. */
const PROMISED = {
  welcome: ({ protocol, worker, limits, server }) =>
    areIntegers(protocol, limits.jsonBytes, limits.bodyBytes, limits.streamBytes ?? 0) && areStrings(worker, server),
  refused: ({ code, message }) => areStrings(code, message),
  request: ({ id, timeoutMillis, method, target, version, headers, client, more, websocket }) =>
    areIntegers(id, timeoutMillis) &&
    areStrings(method, target, version, client) &&
    Array.isArray(headers) &&
    areStrings(...(websocket ?? [])) &&
    typeof (more ?? false) === "boolean",
  data: ({ id, more }) => areIntegers(id) && typeof (more ?? false) === "boolean",
  message: ({ id, text }) => areIntegers(id) && typeof (text ?? false) === "boolean",
  close: ({ id, code, reason }) => areIntegers(id, code ?? 0) && areStrings(reason ?? ""),
  credit: ({ id, bytes }) => areIntegers(id, bytes) && bytes >= 0 && bytes < 2 ** 53,
  cancel: ({ id, reason }) => areIntegers(id) && areStrings(reason),
  drain: () => true,
  ping: () => true,
};

/** A message of the core has the types that the protocol says, or is of a type that is not known, or breaks its frame. */
export function fuzz(data) {
  const input = new Input(data);
  const json = input.choice(2) === 0 ? JSON.stringify(messageOf(input)) : input.rest().toString("utf8");
  const bodyBytes = input.choice(2);
  try {
    const message = readMessage(json, bodyBytes);
    if (message === undefined) return;
    assert.ok(Object.hasOwn(PROMISED, message.type) && typeof message.type === "string");
    assert.ok(PROMISED[message.type](message), "each key has its type");
    assert.ok(bodyBytes === 0 || ["request", "data", "message"].includes(message.type));
  } catch (error) {
    if (!(error instanceof BrokenFrame)) throw error;
  }
}

/** @param {Input} input */
function messageOf(input) {
  const pairs = input.several(10, () => [input.one(KEYS), input.one(VALUES)]);
  const type = input.one([...TYPES, ...VALUES, { toString: 1 }, ["ping"]]);
  return { type, ...Object.fromEntries(pairs) };
}

/** @param {...unknown} values */
function areIntegers(...values) {
  return values.every(Number.isInteger);
}

/** @param {...unknown} values */
function areStrings(...values) {
  return values.every((value) => typeof value === "string");
}
