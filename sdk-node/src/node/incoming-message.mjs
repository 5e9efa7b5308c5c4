import http from "node:http";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { tellingOfTheEnd } from "../protocol/request-over.mjs";

/** @typedef {import("../protocol/request-body.mjs").RequestBody} RequestBody */
/** @typedef {import("./client-socket.mjs").ClientSocket} ClientSocket */

const BODY = Symbol("body");
const PIECES = Symbol("pieces");

/**
 * Node's own IncomingMessage, whose content is there from the beginning, or comes in pieces as it is read. The differences to a message from a connection are set on
 * the object itself, because Express gives it another prototype.
 *
 * @param {PlainRequest} request
 * @param {ClientSocket | import("./frame-socket.mjs").FrameSocket} socket
 * @param {readonly (readonly [string, string])[]} [headers] where the application gets others
 */
export function incoming(request, socket, headers = request.headers) {
  const message = /** @type {any} */ (new http.IncomingMessage(/** @type {any} */ (socket)));
  message.method = request.method;
  message.url = request.target;
  if (request.prefix !== "") mount(message, request.prefix);
  message.httpVersion = request.version;
  message.httpVersionMajor = 1;
  message.httpVersionMinor = request.version === "1.0" ? 0 : 1;
  const fields = namesAndValues(headers);
  message._addHeaderLines(fields, fields.length);
  const pieces = PlainRequest.piecesOf(request);
  if (pieces) {
    message[PIECES] = pieces;
    message._read = readPieces;
  } else {
    message.complete = true;
    message[BODY] = request.body;
    message._read = readBody;
  }
  return /** @type {http.IncomingMessage} */ (message);
}

/** Names and values in turn. Array's own `flat` takes 4 us more for the 15 fields of a browser. @param {readonly (readonly [string, string])[]} headers */
function namesAndValues(headers) {
  const fields = [];
  for (const field of headers) fields.push(field[0], field[1]);
  return fields;
}

/**
 * Takes the prefix off the URL, and leaves it where Express looks for what an application is mounted at.
 *
 * @param {any} message
 * @param {string} prefix with which its URL begins
 */
function mount(message, prefix) {
  const rest = message.url.slice(prefix.length);
  message.baseUrl = prefix;
  message.originalUrl = message.url;
  message.url = rest.startsWith("/") ? rest : `/${rest}`;
}

/** @this {any} */
function readBody() {
  this._consumed = true;
  if (this[BODY] === undefined) return;
  const body = this[BODY];
  this[BODY] = undefined;
  if (body.length > 0) this.push(body);
  this.push(null);
}

/** @this {any} */
function readPieces() {
  this._consumed = true;
  pushPieces(this, this[PIECES]);
}

/** Gives a message what it has room for. Where the body is cut off its exchange ends it. @param {any} message @param {RequestBody} pieces */
function pushPieces(message, pieces) {
  if (message.destroyed) return;
  for (let piece = pieces.take(); piece !== undefined; piece = pieces.take()) {
    if (pieces.isAtEnd) message.complete = true;
    if (!message.push(piece)) return;
  }
  if (!pieces.isAtEnd) {
    pieces.whenMore(() => pushPieces(message, pieces));
    return;
  }
  message.complete = true;
  message.push(null);
}

/** Whether the application reads a message of which the end has not come. @param {any} message */
export function isReadInPart(message) {
  return isRead(message) && !message.complete;
}

/** Whether the application reads a message: listeners have Node read it in the next tick. Who only calls `resume` drops it. @param {any} message */
function isRead(message) {
  return message._consumed || message.listenerCount(message.readableFlowing === true ? "data" : "readable") > 0;
}

/** What a message is destroyed with when no more of it comes, as node:http does. */
export function abortedError() {
  return tellingOfTheEnd(Object.assign(new Error("aborted"), { code: "ECONNRESET" }));
}

/**
 * Ends a message whose request was answered before all of its body had come. One that nobody reads ends as if it was read to its end,
 * as node:http does; any other is destroyed.
 *
 * @param {any} message
 */
export function endCutOff(message) {
  if (message.destroyed) return;
  if (isRead(message)) {
    message.destroy(abortedError());
  } else {
    message.complete = true;
    message._consumed = true;
    message.push(null);
    message._dump();
  }
}

/** Lets go of content that nobody has read, when the message is destroyed: an application may keep the message. @param {any} message */
export function drop(message) {
  message[BODY] = undefined;
  const state = message._readableState;
  if (Array.isArray(state.buffer)) state.buffer = [];
  else state.buffer?.clear();
  state.length = state.bufferIndex = 0;
}

/** Ends a message that nobody read, after the response, for listeners that wait for its end. @param {http.IncomingMessage} message */
export function dump(message) {
  const { _events, _dump } = /** @type {any} */ (message);
  if (_events && ("close" in _events || "end" in _events) && !isRead(message)) _dump.call(message);
}
