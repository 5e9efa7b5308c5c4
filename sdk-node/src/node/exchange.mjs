import { shortMessage } from "../log/shorten.mjs";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { ClientSocket } from "./client-socket.mjs";
import { dump, incoming } from "./incoming-message.mjs";
import { serverResponse } from "./server-response.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */

/** One request and its response as node:http shows them, from the first event to the last. */
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

  /** @param {PlainRequest} request @param {Connection} connection @param {import("node:http").Server} [server] */
  constructor(request, connection, server) {
    this.#request = request;
    this.#connection = connection;
    this.socket = new ClientSocket(request, server, (error) => this.#destroyed(error));
    this.socket.onIdle = () => this.#idle();
    this.incoming = incoming(request, this.socket);
    this.response = serverResponse(this.incoming, this);
    connection.begin(request);
    PlainRequest.onCancel(request, (reason) => this.#cancelled(reason));
  }

  /** Fails the request, unless it is answered, when the handler threw. @param {unknown} error */
  fail(error) {
    if (this.#connection.settle(this.#request)) this.#connection.fail(this.#request, error);
    this.#close();
  }

  /** Takes the head of the response. @param {number} status @param {string} reason @param {string} headers as JSON */
  head(status, reason, headers) {
    this.#status = status;
    this.#reason = reason;
    this.#headers = headers;
  }

  /** Takes a part of the body. Fails the request where the body gets larger than the core takes. @param {string | Uint8Array} chunk */
  content(chunk) {
    this.socket.touch();
    this.#contentBytes += Buffer.byteLength(chunk);
    if (this.#contentBytes <= this.#connection.limits.bodyBytes) {
      this.#chunks.push(chunk);
    } else if (!this.socket.destroyed) {
      this.#chunks = [];
      this.fail(
        new RangeError(`the body has more than the ${this.#connection.limits.bodyBytes} bytes that the core takes`),
      );
    }
  }

  /** Answers the request: the response is whole. */
  finish() {
    if (this.#connection.settle(this.#request)) {
      this.#connection.answer(this.#request, this.#status, this.#reason, this.#headers, this.#body());
    }
    this.#connection.afterFlush(() => this.#finished());
  }

  /** Calls back when the responses so far have left. @param {(error?: Error) => void} callback */
  afterFlush(callback) {
    this.#connection.afterFlush(callback);
  }

  #body() {
    if (this.#chunks.length <= 1) return this.#chunks[0] ?? "";
    return Buffer.concat(this.#chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
  }

  #finished() {
    this.socket.setTimeout(0);
    dump(this.incoming);
    emitClose(this.response);
  }

  /** Shows the application a client that has closed its connection: nobody waits any more. @param {string} reason */
  #cancelled(reason) {
    this.#connection.abandon(this.#request, `cancelled: ${reason}`);
    this.#close();
  }

  /** Fails the request whose connection the application has closed. @param {Error} [error] */
  #destroyed(error) {
    const why = error ? shortMessage(error) : "the handler destroyed the connection";
    this.#connection.abandon(this.#request, why);
    this.#close();
  }

  /** Called when nothing was sent for as long as the application allows. Its listeners decide, as on node:http; without any the connection ends. */
  #idle() {
    const { response, socket } = this;
    const heard = [response.emit("timeout", socket), socket.server?.emit("timeout", socket)];
    if (!heard.includes(true)) socket.destroy(new Error(`no response within the ${socket.timeout} ms of setTimeout()`));
  }

  #close() {
    this.socket.setTimeout(0);
    this.socket.destroyed = true;
    this.socket.readable = this.socket.writable = false;
    if (!this.incoming.destroyed) {
      this.incoming.destroy(Object.assign(new Error("aborted"), { code: "ECONNRESET" }));
    }
    process.nextTick(() => {
      emitClose(this.response);
      this.socket.emit("close", false);
    });
  }
}

/** @param {any} response */
function emitClose(response) {
  if (response._closed) return;
  response.destroyed = true;
  response._closed = true;
  response.emit("close");
}
