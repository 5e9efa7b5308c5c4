import { BrokenFrame } from "./frame-reader.mjs";

/**
 * A type of the protocol: its name for messages, and whether a value has it.
 *
 * @typedef {{ name: string, holds: (value: unknown) => boolean }} Type
 */

/** @type {Type} */
const string = { name: "a string", holds: (value) => typeof value === "string" };
/** @type {Type} */
const integer = { name: "an integer", holds: Number.isInteger };
/** @type {Type} */
const length = { name: "an integer from 0", holds: isLength };
/** @type {Type} */
const limits = {
  name: "an object with the integers jsonBytes, bodyBytes and, with streams, streamBytes",
  holds: (value) => isObject(value) && [value.jsonBytes, value.bodyBytes, value.streamBytes ?? 0].every(isLength),
};
/** @type {Type} */
const boolean = { name: "true or false", holds: (value) => typeof value === "boolean" };
/** @type {Type} */
const array = { name: "an array", holds: Array.isArray };
/** @type {Type} */
const strings = {
  name: "an array of strings",
  holds: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};

/** The keys that each message of the core must have. @type {Record<string, Record<string, Type>>} */
const REQUIRED = {
  welcome: { protocol: integer, worker: string, limits, server: string },
  refused: { code: string, message: string },
  request: {
    id: integer,
    timeoutMillis: integer,
    method: string,
    target: string,
    version: string,
    headers: array,
    client: string,
  },
  data: { id: integer },
  message: { id: integer },
  close: { id: integer },
  credit: { id: integer, bytes: length },
  cancel: { id: integer, reason: string },
  drain: {},
  ping: {},
};

/** The keys that may be left out, and what counts then. @type {Record<string, Record<string, [Type, any]>>} */
const OPTIONAL = {
  request: {
    more: [boolean, false],
    websocket: [strings, []],
    scheme: [string, "http"],
    prefix: [string, ""],
    clientCertificate: [string, ""],
    clientSubject: [string, ""],
  },
  data: { more: [boolean, false] },
  message: { text: [boolean, false] },
  close: { code: [integer, 0], reason: [string, ""] },
};

const WITH_BODY = new Set(["request", "data", "message"]);

/**
 * The message of a frame; undefined for a type that version 1 of the protocol does not have. Throws BrokenFrame for JSON that breaks
 * the protocol.
 *
 * @param {string} json
 * @param {number} bodyBytes
 * @returns {any}
 */
export function readMessage(json, bodyBytes) {
  const message = parse(json);
  if (typeof message.type !== "string") throw new BrokenFrame("the core sent a message whose type is not a string");
  if (!Object.hasOwn(REQUIRED, message.type)) return undefined;
  for (const [key, type] of Object.entries(REQUIRED[message.type])) {
    if ((message[key] ?? undefined) === undefined) {
      throw new BrokenFrame(`the core sent a ${message.type} without ${key}`);
    }
    check(message, key, type);
  }
  for (const [key, [type, usual]] of Object.entries(OPTIONAL[message.type] ?? {})) {
    if (!type.holds(message[key] ?? usual)) check(message, key, type);
  }
  if (bodyBytes > 0 && !WITH_BODY.has(message.type))
    throw new BrokenFrame(`the core sent a ${message.type} with a body`);
  return message;
}

/** @param {any} message @param {string} key @param {Type} type */
function check(message, key, type) {
  if (type.holds(message[key])) return;
  throw new BrokenFrame(`the core sent a ${message.type} whose ${key} is not ${type.name}`);
}

/** @param {string} json */
function parse(json) {
  let message;
  try {
    message = JSON.parse(json);
  } catch {
    throw new BrokenFrame("the core sent a frame that is not JSON");
  }
  if (isObject(message)) return message;
  throw new BrokenFrame("the core sent a frame that is not a JSON object");
}

/** @param {unknown} value */
function isLength(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
