import { readMessage } from "./core-message.mjs";
import { BrokenFrame } from "./frame-reader.mjs";

/**
 * The head of a request, from the JSON of its frame.
 *
 * The core always writes the same keys in the same order, and no backslash unless a header has one. Text of that form is cut where
 * its parts begin, which takes a fraction of the time of JSON.parse. The part after `version` is read when somebody asks for it,
 * since many handlers look at no header. Any other form goes through JSON.parse; another core may well write one.
 *
 * @typedef {[name: string, value: string][]} Headers
 * @typedef {object} Head
 * @property {number} id
 * @property {number} timeoutMillis
 * @property {string} method
 * @property {string} target
 * @property {string} version
 * @property {string | Tail} tail the JSON after `version`, or the values in it
 *
 * @typedef {object} Tail
 * @property {Headers} headers
 * @property {string} client
 * @property {string} [scheme]
 * @property {string} [prefix]
 * @property {string} [clientCertificate] that the client has shown, DER in base64
 * @property {string} [requestId]
 * @property {string[]} [websocket] the subprotocols that are offered, where the client asks for a WebSocket
 * @property {unknown} [more]
 */

const BEGIN = '{"type":"request","id":';
const TIMEOUT = ',"timeoutMillis":';
const METHOD = ',"method":"';
const TARGET = '","target":"';
const VERSION = '","version":"';
const HEADERS = '","headers":[';
const MORE_AT_END = ',"more":true}';
const HEADERS_END = '"]],"';
const CLIENT = '"client":"';
const CLIENT_END = '"}';
const QUOTE = 0x22;
const COMMA = 0x2c;
const CLOSING_BRACKET = 0x5d;

/** Whether this JSON begins as a request that `readHead` reads. @param {string} json */
export function beginsRequest(json) {
  return json.startsWith(BEGIN);
}

/** The head of a request. Throws BrokenFrame. @param {string} json @returns {Head} */
export function readHead(json) {
  return cutHead(json) ?? parseHead(readRequest(json));
}

/**
 * Whether pieces follow a request of which `beginsRequest` is true. Throws BrokenFrame. The core writes `more` last, where a whole
 * request has a quote, so text that ends with one and has no body is looked at no further, and any other is not where `readHead` cuts
 * it. PlainRequest refuses what is missed here, when its headers are read.
 *
 * @param {string} json
 * @param {number} bodyBytes
 */
export function hasMore(json, bodyBytes) {
  if (json.charCodeAt(json.length - 2) === QUOTE) {
    if (bodyBytes === 0 || !json.includes('"more"', behindHeaders(json))) return false;
  }
  return json.endsWith(MORE_AT_END) || readRequest(json).more === true;
}

/** Whether a client may ask for a WebSocket, looked up without reading the headers. @param {string} tail as in a Head */
export function mayAskForWebSocket(tail) {
  return tail.includes('"websocket":', behindHeaders(tail));
}

/** From where on the text holds no headers. Looking through those of a browser takes four times as long. @param {string} json */
function behindHeaders(json) {
  return Math.max(0, json.lastIndexOf(HEADERS_END));
}

/** The request in text that begins as one. A second `type` in it may say something else. @param {string} json */
function readRequest(json) {
  const message = readMessage(json, 0);
  if (message?.type !== "request") throw new BrokenFrame("the core sent a message with two types");
  return message;
}

/** The head of a request that JSON.parse has read. @param {any} message @returns {Head} */
export function parseHead(message) {
  const { id, timeoutMillis, method, target, version, headers, client } = message;
  const { scheme, prefix, clientCertificate } = message;
  const requestId = message.requestId ?? undefined;
  const websocket = message.websocket ?? undefined;
  return {
    id,
    timeoutMillis,
    method,
    target,
    version,
    tail: { headers, client, scheme, prefix, clientCertificate, requestId, websocket },
  };
}

/** The head, cut out of the text; undefined for text of another form. @param {string} json @returns {Head | undefined} */
function cutHead(json) {
  const idEnd = afterDigits(json, BEGIN.length);
  if (!json.startsWith(TIMEOUT, idEnd)) return undefined;
  const timeoutAt = idEnd + TIMEOUT.length;
  const timeoutEnd = afterDigits(json, timeoutAt);
  if (!json.startsWith(METHOD, timeoutEnd)) return undefined;
  const methodAt = timeoutEnd + METHOD.length;
  const methodEnd = json.indexOf('"', methodAt);
  if (!json.startsWith(TARGET, methodEnd)) return undefined;
  const targetAt = methodEnd + TARGET.length;
  const targetEnd = json.indexOf('"', targetAt);
  if (!json.startsWith(VERSION, targetEnd)) return undefined;
  const versionAt = targetEnd + VERSION.length;
  const versionEnd = json.indexOf('"', versionAt);
  if (!json.startsWith(HEADERS, versionEnd)) return undefined;
  const backslash = json.indexOf("\\", methodAt);
  if (backslash >= 0 && backslash < versionEnd) return undefined;
  return {
    id: Number(json.slice(BEGIN.length, idEnd)),
    timeoutMillis: Number(json.slice(timeoutAt, timeoutEnd)),
    method: json.slice(methodAt, methodEnd),
    target: json.slice(targetAt, targetEnd),
    version: json.slice(versionAt, versionEnd),
    tail: json.slice(versionEnd + '",'.length),
  };
}

/** @param {string} json @param {number} at */
function afterDigits(json, at) {
  let end = at;
  for (let unit = json.charCodeAt(end); unit >= 0x30 && unit <= 0x39; unit = json.charCodeAt(end)) end++;
  return end;
}

/** The values in the end of a head. @param {string} tail as in a Head @returns {Tail} */
export function readTail(tail) {
  if (tail.includes("\\")) return JSON.parse(`{${tail}`);
  const headers = /** @type {Headers} */ ([]);
  let at = '"headers":['.length;
  while (tail.startsWith('["', at)) {
    const nameEnd = tail.indexOf('"', at + 2);
    const valueEnd = tail.indexOf('"', nameEnd + 3);
    if (!tail.startsWith('","', nameEnd) || !tail.startsWith('"]', valueEnd)) return JSON.parse(`{${tail}`);
    headers.push([tail.slice(at + 2, nameEnd), tail.slice(nameEnd + 3, valueEnd)]);
    at = valueEnd + 2;
    if (tail.charCodeAt(at) === COMMA) at++;
  }
  if (tail.charCodeAt(at) !== CLOSING_BRACKET) return JSON.parse(`{${tail}`);
  // What follows is short: the client's address, and seldom more.
  const client = onlyClient(tail, at + 2);
  return client === undefined ? { headers, ...JSON.parse(`{${tail.slice(at + 2)}`) } : { headers, client };
}

/** The client, where nothing else follows. @param {string} tail without a backslash @param {number} at behind the headers */
function onlyClient(tail, at) {
  if (!tail.startsWith(CLIENT, at)) return undefined;
  const from = at + CLIENT.length;
  const end = tail.length - CLIENT_END.length;
  return tail.indexOf('"', from) === end && tail.endsWith(CLIENT_END) ? tail.slice(from, end) : undefined;
}
