import http from "node:http";
import { HeaderList } from "../protocol/response-json.mjs";

/** @typedef {import("./exchange.mjs").NodeExchange} NodeExchange */

const EXCHANGE = Symbol("exchange");

/**
 * Node's own ServerResponse, with all its rules and another sink: what it would write to a connection goes to its exchange.
 * The four methods are set on the object itself, because Express gives it another prototype.
 *
 * @param {http.IncomingMessage} request
 * @param {NodeExchange} exchange
 */
export function serverResponse(request, exchange) {
  const response = /** @type {any} */ (new http.ServerResponse(request));
  response.socket = exchange.socket;
  exchange.socket._httpMessage = response;
  response[EXCHANGE] = exchange;
  response._storeHeader = storeHeader;
  response._send = send;
  response._writeRaw = writeInterim;
  response._finish = finish;
  return /** @type {http.ServerResponse} */ (response);
}

/**
 * Replaces the method that puts the head together of status line and fields. The core adds framing, Date and Connection.
 *
 * @this {any}
 * @param {string} statusLine
 * @param {any} headers the fields that were set, as name to [name, value], or else the argument of writeHead
 */
function storeHeader(statusLine, headers) {
  const list = new HeaderList();
  if (Array.isArray(headers)) addPairs(list, headers);
  else if (headers) addEntries(list, headers, this.getHeaderNames().length > 0);
  this._header = statusLine; // tells everybody that the head is decided
  const { statusCode, statusMessage } = this;
  // The usual phrase of nearly all responses need not be written, read and written again.
  const reason = statusCode === 200 && statusMessage === "OK" ? undefined : statusMessage;
  const exchange = this[EXCHANGE];
  exchange.head(statusCode, reason, list.json);
  // Nothing of what the application writes comes to `send` then. node:http waits for the end, but has no window to fill.
  if (!this._hasBody && this._contentLength === null) exchange.goesOn();
}

/** @param {HeaderList} list @param {any} headers @param {boolean} areSet */
function addEntries(list, headers, areSet) {
  for (const key of Object.keys(headers)) {
    if (areSet) list.add(headers[key][0], texts(headers[key][1]));
    else addChecked(list, key, headers[key]);
  }
}

/** Pairs, or names and values in turn. @param {HeaderList} list @param {any[]} headers */
function addPairs(list, headers) {
  const flat = Array.isArray(headers[0]) ? headers.flat() : headers;
  for (let i = 0; i + 1 < flat.length; i += 2) addChecked(list, flat[i], flat[i + 1]);
}

/** Adds a field of writeHead, which has not been checked yet. @param {HeaderList} list @param {string} name @param {any} value */
function addChecked(list, name, value) {
  http.validateHeaderName(name);
  for (const one of Array.isArray(value) ? value : [value]) http.validateHeaderValue(name, one);
  list.add(name, texts(value));
}

/** The text of a value, or of each value: Node takes any. @param {any} value */
function texts(value) {
  return Array.isArray(value) ? value.map(String) : String(value);
}

/**
 * Takes a part of the content. Node calls this with an empty part for flushHeaders(), and once more at the end, with the emitter of
 * `finish`. Returns whether there is room for more.
 *
 * @this {any}
 * @param {string | Uint8Array} data
 * @param {BufferEncoding | undefined} encoding
 * @param {((error?: Error) => void) | undefined} callback
 */
function send(data, encoding, callback) {
  this._headerSent = true;
  const exchange = this[EXCHANGE];
  // Set when end() got all the content. Then there is nothing to wait for.
  if (this._contentLength === null) exchange.goesOn();
  // After the callback the caller may use its buffer again.
  const hasRoom = data.length === 0 || exchange.content(asChunk(data, encoding, typeof callback === "function"));
  if (typeof callback === "function") exchange.afterWritten(callback);
  return hasRoom;
}

/** @param {string | Uint8Array} data @param {BufferEncoding | undefined} encoding @param {boolean} copied */
function asChunk(data, encoding, copied) {
  if (typeof data !== "string") return copied ? Buffer.from(data) : data;
  return !encoding || encoding === "utf8" || encoding === "utf-8" ? data : Buffer.from(data, encoding);
}

/** Drops interim responses (100, 102, 103), which are left to the core. @param {any} _data @param {any} _encoding @param {any} callback */
function writeInterim(_data, _encoding, callback) {
  if (typeof callback === "function") process.nextTick(callback);
  return true;
}

/** @this {any} */
function finish() {
  this.emit("prefinish");
  this[EXCHANGE].finish();
}

/** Lets a response be written to again, if it waits for that. Node emits `drain` and clears its mark when its output is flushed. @param {any} response */
export function drain(response) {
  response._flushOutput = () => true;
  if (!response.finished) response._flush();
}
