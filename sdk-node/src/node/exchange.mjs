import { AsyncResource, executionAsyncId } from "node:async_hooks";
import { shortMessage } from "../log/shorten.mjs";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { ClientSocket } from "./client-socket.mjs";
import { abortedError, drop, dump, endCutOff, incoming, isReadInPart } from "./incoming-message.mjs";
import { drain, serverResponse } from "./server-response.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/response-stream.mjs").ResponseStream} ResponseStream */

const NO_BODY = Buffer.alloc(0);
/** How long an abandoned handler counts at least. It is less than the 5 s after which the core takes the worker for stuck. */
const SHORTEST_COUNTED_MILLIS = 3000;
const LONGEST_COUNTED_MILLIS = 30_000;

/**
 * One request and its response as node:http shows them, from the first event to the last.
 *
 * A response that has ended in the turn in which it was first written, or its head flushed, leaves whole. Any other leaves in pieces
 * from the end of that turn on, if the core takes them, and is gathered until it ends otherwise.
 *
 * A handler whose client has left counts as running on until it ends or destroys the response, or its promise is settled. Many
 * handlers do none of this when they have seen `close`, as node:http does not ask for it. So a handler counts no longer than
 * somebody could have waited for its response, and 30 s at most.
 *
 * Frames leave in turns for all. What the application hears of its response then comes in the asynchronous context in which it asked
 * for that, as with node:http: `finish`, `close` and callbacks in that of `end` or `write`, `drain` in that of the `write` before.
 */
export class NodeExchange {
  #request;
  #connection;
  #status = 200;
  /** @type {string | undefined} */
  #reason;
  #headers = "[]";
  /** @type {(string | Uint8Array)[]} */
  #chunks = [];
  #contentBytes = 0;
  #beganAt = performance.now();
  #turn;
  #mayReturn = false;
  #closed = false;
  #hasEnded = false;
  #goesOn = false;
  /** Whether a write was told to wait, before there was a stream. */
  #lacksRoom = false;
  /** Where the application was told to wait. @type {AsyncResource | undefined} */
  #waits;
  /** Where the response leaves in pieces. @type {ResponseStream | undefined} */
  #stream;

  /** @param {PlainRequest} request @param {Connection} connection @param {import("node:http").Server} [server] */
  constructor(request, connection, server) {
    this.#request = request;
    this.#connection = connection;
    this.#turn = connection.turn;
    this.socket = new ClientSocket(request, server, this);
    this.incoming = incoming(request, this.socket);
    this.response = serverResponse(this.incoming, this);
    request.body = NO_BODY; // the message holds it, as long as it has to
    connection.begin(request);
    PlainRequest.onCancel(request, (reason) => this.#cancelled(reason));
  }

  /** Fails the request, unless it is answered, when the handler threw. @param {unknown} error */
  fail(error) {
    if (this.#stream && this.#hasEnded) return; // what waits leaves all the same
    if (this.#connection.settle(this.#request)) this.#connection.fail(this.#request, error);
    this.#close();
  }

  /** Ends the handling of a request whose client has left, when the promise of the handler is fulfilled. */
  returned() {
    if (this.#mayReturn) this.#connection.settle(this.#request);
  }

  /** Takes the head of the response. @param {number} status @param {string | undefined} reason @param {string} headers as JSON */
  head(status, reason, headers) {
    this.#status = status;
    this.#reason = reason;
    this.#headers = headers;
  }

  /** Has the response begin to leave at the end of this turn, unless it is whole by then. */
  goesOn() {
    if (this.#goesOn) return;
    this.#goesOn = true;
    this.#connection.atTurnEnd(this);
  }

  turnEnds() {
    if (this.#closed || this.#hasEnded) return;
    if (!this.#stream && this.#connection.mayStream(this.#headers)) this.#beginStream();
    if (this.#lacksRoom) this.#stream?.awaitRoom();
  }

  /** Takes a part of the body, and returns whether there is room for more. @param {string | Uint8Array} chunk */
  content(chunk) {
    if (this.#closed) return false;
    this.socket.touch();
    if (this.#stream) return this.#write(this.#stream, chunk);
    this.#contentBytes += Buffer.byteLength(chunk);
    this.#chunks.push(chunk);
    const { bodyBytes, streamBytes } = this.#connection.limits;
    if (this.#contentBytes > bodyBytes) this.#outgrow(bodyBytes);
    this.#lacksRoom = streamBytes > 0 && this.#contentBytes >= streamBytes;
    if (this.#lacksRoom) this.#waits = contextOfCaller();
    return !this.#lacksRoom;
  }

  /** Answers the request: the response is whole. */
  finish() {
    this.#hasEnded = true;
    if (this.#stream) this.#stream.end();
    else if (this.#connection.settle(this.#request)) {
      this.#connection.answer(this.#request, this.#status, this.#reason, this.#headers, this.#body());
    }
    this.afterWritten(() => this.#finished());
  }

  /** Calls back when all that was written has left. @param {(error?: Error) => void} callback */
  afterWritten(callback) {
    const context = contextOfCaller();
    /** @param {Error} [error] */
    const written = (error) => context.runInAsyncScope(callback, undefined, error);
    if (this.#stream?.isOpen) this.#stream.afterWritten(written);
    else this.#connection.afterFlush(written);
  }

  #body() {
    if (this.#chunks.length <= 1) return this.#chunks[0] ?? "";
    return Buffer.concat(this.#chunks.map(bytesOf));
  }

  /** @param {ResponseStream} stream @param {string | Uint8Array} chunk */
  #write(stream, chunk) {
    const hasRoom = stream.write(bytesOf(chunk));
    this.socket.writableLength = stream.waitingBytes;
    if (!hasRoom) this.#waits = contextOfCaller();
    return hasRoom;
  }

  #beginStream() {
    const content = bytesOf(this.#body());
    this.#chunks = [];
    this.#stream = this.#connection.stream(this.#request, this.#status, this.#reason, this.#headers, content);
    if (!this.#stream) return this.#close();
    this.socket.writableLength = this.#stream.waitingBytes;
    this.#stream.onRoom = () => this.#drained();
  }

  /** Has an application that was told to wait go on. What its listeners throw must not reach the reader of the socket. */
  #drained() {
    this.socket.writableLength = this.#stream?.waitingBytes ?? 0;
    process.nextTick(() => {
      if (!this.#closed && this.#stream?.hasRoom) this.#waits?.runInAsyncScope(drain, undefined, this.response);
    });
  }

  /** Has what is too large for one frame leave in pieces, or fails the request. @param {number} bodyBytes that the core takes at once */
  #outgrow(bodyBytes) {
    if (this.#connection.mayStream(this.#headers)) this.#beginStream();
    else this.fail(new RangeError(`the body has more than the ${bodyBytes} bytes that the core takes`));
  }

  #finished() {
    this.socket.setTimeout(0);
    if (PlainRequest.piecesOf(this.#request)?.error) endCutOff(this.incoming);
    dump(this.incoming);
    emitClose(this.response);
  }

  /** Shows the application a client that has closed its connection: nobody waits any more. @param {string} reason */
  #cancelled(reason) {
    if (this.#stream) this.socket._hadError = true; // no `finish` for what has not left
    const waitedForContent = isReadInPart(this.incoming);
    // Node's own does nothing on a response that is closed, and this one says that the handler has ended.
    this.response.destroy = () => {
      this.#connection.settle(this.#request);
      return this.response;
    };
    // A promise that is fulfilled by now has told so, unless the cancel came together with the request. Then it tells nothing.
    this.#mayReturn = this.#turn !== this.#connection.turn;
    this.#close();
    if (waitedForContent) return 0; // it has been told, and often has no more to do: it waits for an `end`
    if (reason !== "client_gone") return SHORTEST_COUNTED_MILLIS; // the grace of the core has begun
    const left = this.#beganAt + this.#request.timeoutMillis - performance.now();
    return Math.max(SHORTEST_COUNTED_MILLIS, Math.min(left, LONGEST_COUNTED_MILLIS));
  }

  /** Fails the request whose connection the application has closed. @param {Error} [error] */
  destroyed(error) {
    const why = error ? shortMessage(error) : "the handler destroyed the connection";
    this.#connection.abandon(this.#request, why);
    this.#close();
  }

  /** Called when nothing was sent for as long as the application allows. Its listeners decide, as on node:http; without any the connection ends. */
  idle() {
    const { response, socket } = this;
    const heard = [response.emit("timeout", socket), socket.server?.emit("timeout", socket)];
    if (!heard.includes(true)) socket.destroy(new Error(`no response within the ${socket.timeout} ms of setTimeout()`));
  }

  #close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#chunks = [];
    this.socket.setTimeout(0);
    this.socket.destroyed = true;
    this.socket.readable = this.socket.writable = false;
    if (!this.incoming.destroyed) {
      this.incoming.destroy(abortedError());
    }
    drop(this.incoming);
    process.nextTick(() => {
      emitClose(this.response);
      this.socket.emit("close", false);
    });
  }
}

/** What the application keeps in an AsyncLocalStorage where it calls. */
function contextOfCaller() {
  return new AsyncResource("HANDOFF_RESPONSE", executionAsyncId()); // the id spares half of the cost
}

/** @param {string | Uint8Array} chunk */
function bytesOf(chunk) {
  return typeof chunk === "string" ? Buffer.from(chunk) : chunk;
}

/** @param {any} response */
function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit("close");
}
