import { FailureLog } from "../log/failure-log.mjs";
import { shortMessage } from "../log/shorten.mjs";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { failureJson, HeaderList } from "../protocol/response-json.mjs";
import { MOST_REASON_BYTES, mayCloseWith, NORMAL } from "../protocol/web-socket-link.mjs";
import { isThenable } from "../thenable.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../worker/connection.mjs").Dispatch} Dispatch */
/** @typedef {import("../protocol/web-socket-link.mjs").WebSocketLink} WebSocketLink */

/** What the core tells the client after a failure. */
const HANDLER_FAILED = 1011;
const EVENTS = ["open", "message", "drain", "close"];
const REFUSED = '[["content-type","text/plain; charset=utf-8"]]';
const failures = new FailureLog();

/** One WebSocket, as `ServerWebSocket` in index.d.ts has it. */
class ServerWebSocket {
  /** The application's own. @type {unknown} */
  data;
  #link;
  #closed;

  /**
   * @param {PlainRequest} request
   * @param {WebSocketLink} link
   * @param {string | undefined} subprotocol
   * @param {(code: number, reason: string) => void} closed called when the application has closed it
   */
  constructor(request, link, subprotocol, closed) {
    this.request = request;
    this.subprotocol = subprotocol;
    this.#link = link;
    this.#closed = closed;
  }

  get isOpen() {
    return this.#link.isOpen;
  }

  get bufferedBytes() {
    return this.#link.waitingBytes;
  }

  /** @param {unknown} message */
  send(message) {
    return this.#link.send(asMessage(message)) && this.#link.hasRoom;
  }

  /** @param {number} [code] @param {string} [reason] */
  close(code = NORMAL, reason = "") {
    if (!mayCloseWith(code)) throw new RangeError(`a WebSocket cannot be closed with ${code} (RFC 6455 section 7.4)`);
    if (Buffer.byteLength(reason) > MOST_REASON_BYTES) {
      throw new RangeError(`the reason of a close has more than ${MOST_REASON_BYTES} bytes`);
    }
    if (!this.#link.isOpen) return;
    this.#link.close(code, reason);
    this.#closed(code, reason);
  }
}

/** @param {unknown} message @returns {string | Uint8Array} */
function asMessage(message) {
  if (typeof message === "string" || message instanceof Uint8Array) return message;
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  if (ArrayBuffer.isView(message)) return new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  throw new TypeError(
    `a message has to be a string or bytes, not ${message === null ? "null" : `a ${typeof message}`}`,
  );
}

/**
 * Serves WebSockets beside the requests of another dispatch. Throws a TypeError for wrong options.
 *
 * @param {Dispatch} dispatch
 * @param {any} handlers functions for `open`, `message`, `drain` and `close`
 * @param {{ origins?: readonly string[], subprotocols?: readonly string[] }} options
 * @returns {Dispatch}
 */
export function withWebSockets(dispatch, handlers, { origins, subprotocols = [] }) {
  if (typeof handlers !== "object" || handlers === null || typeof handlers.message !== "function") {
    throw new TypeError("websocket has to be an object with a function message(socket, message)");
  }
  for (const name of EVENTS) {
    if (handlers[name] !== undefined && typeof handlers[name] !== "function") {
      throw new TypeError(`websocket.${name} is not a function`);
    }
  }
  return (request, connection) => {
    const offered = PlainRequest.subprotocolsOf(request);
    if (offered === undefined) return dispatch(request, connection);
    connection.begin(request);
    PlainRequest.onCancel(request, () => undefined);
    if (!isWanted(request, origins)) {
      if (connection.settle(request)) {
        connection.answer(request, 403, undefined, REFUSED, "WebSockets are not for this origin.\n");
      }
      return;
    }
    const subprotocol = subprotocols.find((each) => offered.includes(each));
    const headers = new HeaderList();
    if (subprotocol !== undefined) headers.add("sec-websocket-protocol", subprotocol);
    const link = connection.accept(request, headers.json);
    if (link) talk(request, link, subprotocol, handlers);
  };
}

/** @param {PlainRequest} request @param {WebSocketLink} link @param {string | undefined} subprotocol @param {any} handlers */
function talk(request, link, subprotocol, handlers) {
  const socket = new ServerWebSocket(request, link, subprotocol, (code, reason) => call("close", code, reason));
  /** @param {unknown} error */
  const failed = (error) => {
    failures.failed(request, error);
    if (!link.isOpen) return;
    link.finish(failureJson(request.id, shortMessage(error)));
    call("close", HANDLER_FAILED, "");
  };
  /** @param {string} event @param {unknown[]} subjects @returns {unknown} a promise where it is not done yet */
  const call = (event, ...subjects) => {
    try {
      const promise = handlers[event]?.(socket, ...subjects);
      return isThenable(promise) ? promise.then(undefined, failed) : undefined;
    } catch (error) {
      failed(error);
      return undefined;
    }
  };
  link.onMessage = (message) => {
    const bytes = typeof message === "string" ? Buffer.byteLength(message) : message.length;
    const promise = call("message", message);
    // The client may send more when the handler is done with this one.
    if (isThenable(promise)) promise.then(() => link.taken(bytes));
    else link.taken(bytes);
  };
  link.onRoom = () => call("drain");
  link.onClose = (code, reason) => call("close", code, reason);
  call("open");
}

/**
 * Whether a page of that origin may ask (RFC 6455 section 10.2). A client that is no browser names none, and may.
 *
 * @param {PlainRequest} request
 * @param {readonly string[] | undefined} origins undefined for the origin of the request's own host
 */
function isWanted(request, origins) {
  const origin = request.header("origin");
  if (origin === undefined) return true;
  if (origins !== undefined) return origins.includes("*") || origins.includes(origin);
  return URL.canParse(origin) && new URL(origin).host === request.header("host")?.toLowerCase();
}
