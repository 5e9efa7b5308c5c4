import { X509Certificate } from "node:crypto";
import { BrokenFrame } from "./frame-reader.mjs";
import { BodyCutOff, RequestBody } from "./request-body.mjs";
import { mayAskForWebSocket, readTail } from "./request-json.mjs";
import { tellingOfTheEnd } from "./request-over.mjs";

/** @typedef {import("./request-json.mjs").Head} Head */
/** @typedef {import("./request-json.mjs").Tail} Tail */

const NOTHING = Buffer.alloc(0);
const TEXTS = /** @type {const} */ (["scheme", "prefix", "clientCertificate"]);

/** Thrown for a request that a kind of handler cannot get, through no fault of the handler. Says what its client is told. */
export class RefusedRequest extends Error {
  /** @param {number} status @param {string} code for the Handoff-Error field @param {string} message one sentence */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** One HTTP request as the protocol has it. A plain handler gets it; the requests of other handlers are made of it. */
export class PlainRequest {
  #tail;
  /** @type {AbortController | undefined} */
  #controller;
  /** @type {string | undefined} */
  #cancelled;
  /** Called when the request is cancelled. @type {((reason: string) => number | undefined) | undefined} */
  #oncancel;
  /** @type {RequestBody | undefined} */
  #pieces;

  /** @param {Head} head @param {Buffer} body empty where it comes in pieces @param {RequestBody} [pieces] */
  constructor(head, body, pieces) {
    this.id = head.id;
    this.timeoutMillis = head.timeoutMillis;
    this.method = head.method;
    this.target = head.target;
    this.version = head.version;
    this.body = body;
    this.#tail = head.tail;
    this.#pieces = pieces;
  }

  get headers() {
    return this.#rest.headers;
  }

  get client() {
    return this.#rest.client;
  }

  get scheme() {
    return this.#rest.scheme ?? "http";
  }

  get prefix() {
    return this.#rest.prefix ?? "";
  }

  /** Whose it is stands in its `subject`. The core has checked it. */
  get clientCertificate() {
    const { clientCertificate: encoded } = this.#rest;
    return encoded ? new X509Certificate(Buffer.from(encoded, "base64")) : undefined;
  }

  get requestId() {
    return this.#rest.requestId ?? undefined;
  }

  /** Aborted when nobody waits for the response any more. */
  get signal() {
    return this.#aborting.signal;
  }

  get #aborting() {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled !== undefined) this.#abort(this.#controller, this.#cancelled);
    }
    return this.#controller;
  }

  /** The value of a header, several joined by a comma; undefined where there is none. @param {string} name in any letter case */
  header(name) {
    const wanted = name.toLowerCase();
    /** @type {string | undefined} */
    let found;
    for (const [each, value] of this.headers) {
      if (each === wanted) found = found === undefined ? value : `${found}, ${value}`;
    }
    return found;
  }

  /** The pieces of the body that nobody has read yet, as they come. The rest is dropped where the loop is left. */
  async *stream() {
    const pieces = this.#pieces;
    if (this.body?.length > 0) yield this.body;
    if (pieces === undefined) return;
    try {
      for (let piece = await pieces.next(); piece !== undefined; piece = await pieces.next()) yield piece;
    } finally {
      pieces.cutOff(new BodyCutOff("the application wants no more of this body"));
    }
  }

  /** @returns {Tail} */
  get #rest() {
    if (typeof this.#tail === "string") this.#tail = checkedTail(readTail(this.#tail));
    if (this.#tail.more && !this.#pieces) {
      throw new BrokenFrame("the core sent a request without a body whose more is a text, or does not stand last");
    }
    return this.#tail;
  }

  /** @param {AbortController} controller @param {string} reason */
  #abort(controller, reason) {
    controller.abort(PlainRequest.cancellation(reason));
  }

  /** The body where it comes in pieces; undefined for one that is whole. @param {PlainRequest} request */
  static piecesOf(request) {
    return request.#pieces;
  }

  /** Has the body be read by `stream` only, however it came. @param {PlainRequest} request */
  static streamOnly(request) {
    request.#pieces ??= RequestBody.whole(request.body);
    /** @type {any} */ (request).body = undefined;
  }

  /**
   * The subprotocols that the client offers, the one it likes best first; undefined unless it asks for a WebSocket.
   *
   * @param {PlainRequest} request
   * @returns {string[] | undefined}
   */
  static subprotocolsOf(request) {
    const tail = request.#tail;
    if (typeof tail === "string" && !mayAskForWebSocket(tail)) return undefined;
    return request.#rest.websocket ?? undefined;
  }

  /**
   * The same request without its body, to take the place of the first where its response may last for hours: so the body is in memory
   * as long as its handler keeps the first, and no longer. A cancel of the second aborts the signal of both.
   *
   * @param {PlainRequest} request
   */
  static withoutBody(request) {
    const { id, timeoutMillis, method, target, version } = request;
    const other = new PlainRequest({ id, timeoutMillis, method, target, version, tail: request.#tail }, NOTHING);
    other.#pieces = request.#pieces;
    other.#oncancel = request.#oncancel;
    other.#cancelled = request.#cancelled;
    other.#controller = request.#aborting;
    return other;
  }

  /** Why the request was cancelled; undefined for one that was not. @param {PlainRequest} request */
  static reasonOfCancel(request) {
    return request.#cancelled;
  }

  /** What the signal is aborted with. @param {string} reason */
  static cancellation(reason) {
    const name = reason === "deadline" ? "TimeoutError" : "AbortError";
    return tellingOfTheEnd(new DOMException(`nobody waits for this response any more: ${reason}`, name));
  }

  /**
   * Aborts the signal, and calls the listener. Returns for how many milliseconds the handler counts as running on at most; undefined
   * where its end is always seen.
   *
   * @param {PlainRequest} request
   * @param {string} reason
   */
  static cancel(request, reason) {
    request.#cancelled = reason;
    if (request.#controller) request.#abort(request.#controller, reason);
    return request.#oncancel?.(reason);
  }

  /**
   * Has a listener called when the request is cancelled. It returns what `cancel` does.
   *
   * @param {PlainRequest} request
   * @param {(reason: string) => number | undefined} listener
   */
  static onCancel(request, listener) {
    request.#oncancel = listener;
  }
}

/** @param {Tail} tail @returns {Tail} */
function checkedTail(tail) {
  const { websocket } = tail;
  if (websocket && !(Array.isArray(websocket) && websocket.every((each) => typeof each === "string"))) {
    throw new BrokenFrame("the core sent a request whose websocket is not an array of strings");
  }
  for (const key of TEXTS) {
    if (typeof (tail[key] ?? "") !== "string")
      throw new BrokenFrame(`the core sent a request whose ${key} is no string`);
  }
  return tail;
}
