import http from "node:http";

/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */
/** @typedef {import("./client-socket.mjs").ClientSocket} ClientSocket */

const BODY = Symbol("body");

/**
 * Node's own IncomingMessage, whose content is there from the beginning. The differences to a message from a connection are set on
 * the object itself, because Express gives it another prototype.
 *
 * @param {PlainRequest} request
 * @param {ClientSocket} socket
 */
export function incoming(request, socket) {
  const message = /** @type {any} */ (new http.IncomingMessage(/** @type {any} */ (socket)));
  message.method = request.method;
  message.url = request.target;
  message.httpVersion = request.version;
  message.httpVersionMajor = 1;
  message.httpVersionMinor = request.version === "1.0" ? 0 : 1;
  const fields = request.headers.flat();
  message._addHeaderLines(fields, fields.length);
  message.complete = true;
  message[BODY] = request.body;
  message._read = readBody;
  return /** @type {http.IncomingMessage} */ (message);
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
  const { _consumed, _events, _dump } = /** @type {any} */ (message);
  if (!_consumed && _events && ("close" in _events || "end" in _events)) _dump.call(message);
}
