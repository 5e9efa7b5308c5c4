import { failures } from "../log/failure-log.mjs";
import { shortMessage } from "../log/shorten.mjs";
import { ById } from "../protocol/by-id.mjs";
import { callApart } from "../protocol/call-apart.mjs";
import { Channel } from "../protocol/channel.mjs";
import { readMessage } from "../protocol/core-message.mjs";
import { BrokenFrame } from "../protocol/frame-reader.mjs";
import { FrameTooLarge } from "../protocol/frame-writer.mjs";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { BodyCutOff, CREDIT_BYTES, MOST_WHOLE_BYTES, RequestBody } from "../protocol/request-body.mjs";
import { beginsRequest, hasMore, parseHead, readHead } from "../protocol/request-json.mjs";
import { tellingOfTheEnd } from "../protocol/request-over.mjs";
import { creditJson, ForbiddenResponse, failureJson, responseJson, switchJson } from "../protocol/response-json.mjs";
import { ResponseStream } from "../protocol/response-stream.mjs";
import { NO_CODE, WebSocketLink } from "../protocol/web-socket-link.mjs";
import { AbandonedHandlers } from "./abandoned-handlers.mjs";
import { KeptRequests } from "./kept-requests.mjs";

const PROTOCOL = 1;
/** The feature of requests and responses in pieces. */
const STREAMS = "streams";
/** The feature of WebSockets as messages. An application that takes none treats them as any other request. */
const WEBSOCKETS = "websockets";
/** How many responses in pieces may be under way besides the window: they cost an event loop hardly more than their memory. */
const MOST_STREAMS = 10_000;
/** The feature of messages that leave in fragments. */
const FRAGMENTS = "fragments";
const LEAVING = "the worker is leaving";
const NOTHING = Buffer.alloc(0);
let hasToldOfEvents = false;

/**
 * @typedef {(request: PlainRequest, connection: Connection) => void} Dispatch gives a request to its handler; never throws
 * @typedef {object} ConnectionEvents
 * @property {(connection: Connection) => void} welcomed
 * @property {(code: string, message: string) => void} refused
 * @property {() => void} drained called when the core sends no more requests
 * @property {(error?: Error) => void} ended called once; without an error where the core ended the connection
 */

/**
 * One connection to the core, from `hello` on. Gives each request to the handler, and takes its response once.
 *
 * A cancelled request fails at once, which frees its place in the window, while its handler may go on. The connection counts such
 * handlers: when there are as many as the concurrency, a cancel stays unanswered until one of them ends. The core then takes this
 * worker for stuck, and replaces it.
 *
 * Where the core does not take the responses, it begins no more requests, and keeps them until it does.
 *
 * A request in pieces begins with its head. What comes of it after it was answered or cancelled is dropped.
 *
 * A response in pieces takes no place in the window. When it is cancelled its final frame leaves at once, and its handler does not
 * count.
 */
export class Connection {
  #channel;
  #dispatch;
  #events;
  #abandoned;
  #leaving = false;
  /** @type {ById<PlainRequest>} The requests that have begun and are not answered. */
  #waiting = new ById();
  /** @type {ById<ResponseStream>} The responses in pieces that are under way. */
  #streams = new ById();
  /** @type {ById<WebSocketLink>} The WebSockets that are open. */
  #webSockets = new ById();
  /** What comes in pieces, of the requests that are not answered. @type {ById<RequestBody>} */
  #bodies = new ById();
  #kept;
  #mayStream = false;

  /**
   * @param {string} path of the core's socket
   * @param {{ concurrency: number }} hello
   * @param {number} concurrency how many handlers may run on after their request was cancelled
   * @param {Dispatch} dispatch
   * @param {ConnectionEvents} events
   */
  constructor(path, hello, concurrency, dispatch, events) {
    this.#dispatch = dispatch;
    this.#events = events;
    this.#abandoned = new AbandonedHandlers(concurrency, (id, reason) => {
      this.#channel.send(failureJson(id, `cancelled: ${reason}`));
    });
    this.#channel = new Channel(
      path,
      (json, body) => this.#take(json, body),
      (error) => this.#end(error),
    );
    this.#kept = new KeptRequests(this.#channel, (request) => callApart(this.#dispatch, request, this));
    const streaming = {
      features: [STREAMS, WEBSOCKETS, FRAGMENTS],
      bodyBytes: MOST_WHOLE_BYTES,
      streamBytes: CREDIT_BYTES,
      streams: MOST_STREAMS,
    };
    this.#channel.send(JSON.stringify({ type: "hello", protocol: PROTOCOL, ...hello, ...streaming }));
  }

  /** The largest frames that the core takes, in bytes. */
  get limits() {
    return this.#channel.limits;
  }

  /** The number of the read whose requests and cancels come now. */
  get turn() {
    return this.#channel.turn;
  }

  /** Opens the window. @param {number} concurrency @param {number} [memoryBytes] the memory of this process, where the core cannot look */
  capacity(concurrency, memoryBytes) {
    this.#channel.send(JSON.stringify({ type: "capacity", concurrency, memoryBytes }));
  }

  /** Asks the core for no more requests. The core ends the connection after the last response. */
  drain() {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#channel.send('{"type":"drain"}');
    for (const id of this.#kept.giveBack()) this.#sendFailure(id, LEAVING, true);
  }

  /** Makes a request one that is answered after this turn, so that it can be cancelled. @param {PlainRequest} request */
  begin(request) {
    this.#waiting.set(request.id, request);
  }

  /**
   * Ends a request that has begun, or its handler, which may have run on after a cancel. Returns whether the request still has to be
   * answered: where pieces of its response were sent, by a failure. Does nothing when it is called again.
   *
   * @param {PlainRequest} request
   */
  settle(request) {
    if (this.#waiting.delete(request.id)) return true;
    const stream = this.#streams.get(request.id);
    if (stream !== undefined) {
      stream.close();
      return true;
    }
    this.#abandoned.ended(request.id);
    return false;
  }

  /** Ends a request that its handler gives up, and fails it where somebody waits. @param {PlainRequest} request @param {string} why for the core's log */
  abandon(request, why) {
    if (this.settle(request)) this.#sendFailure(request.id, why);
  }

  /**
   * Answers a request with a response, in pieces where it is too large for a frame, or fails it where the core would refuse that. A
   * request that has begun has to be settled before.
   *
   * @param {PlainRequest} request
   * @param {number} status
   * @param {string | undefined} reason
   * @param {string} headers as JSON
   * @param {string | Uint8Array} body
   */
  answer(request, status, reason, headers, body) {
    try {
      this.#channel.respond(request.id, responseJson(request.id, status, reason, headers), body);
      this.#answered(request.id);
    } catch (error) {
      if (!(error instanceof FrameTooLarge || error instanceof ForbiddenResponse)) throw error;
      if (this.#mayStream && Buffer.byteLength(body) > this.limits.bodyBytes) {
        this.begin(request);
        this.stream(request, status, reason, headers, Buffer.from(body))?.end();
      } else {
        this.fail(request, error);
      }
    }
  }

  /**
   * Begins to send the response to a request in pieces. Returns undefined where nobody waits for it any more, and where the core would
   * refuse its head, which fails the request.
   *
   * @param {PlainRequest} request one that has begun
   * @param {number} status
   * @param {string | undefined} reason
   * @param {string} headers as JSON
   * @param {Uint8Array} content all of it so far
   * @returns {ResponseStream | undefined}
   */
  stream(request, status, reason, headers, content) {
    if (!this.settle(request)) return undefined;
    const stream = new ResponseStream(request, this.limits, this.#channel, () => {
      this.#streams.delete(request.id);
      this.#answered(request.id);
    });
    try {
      stream.begin(responseJson(request.id, status, reason, headers, true), content);
    } catch (error) {
      if (!(error instanceof FrameTooLarge || error instanceof ForbiddenResponse)) throw error;
      this.fail(request, error);
      return undefined;
    }
    this.#streams.set(request.id, stream);
    return stream;
  }

  /**
   * Makes a WebSocket of a request. Returns undefined where nobody waits for it any more, and where the core would refuse the head,
   * which fails the request.
   *
   * @param {PlainRequest} request one that has begun
   * @param {string} headers as JSON
   * @returns {WebSocketLink | undefined}
   */
  accept(request, headers) {
    if (!this.settle(request)) return undefined;
    const { id } = request;
    try {
      this.#channel.send(switchJson(id, headers));
    } catch (error) {
      if (!(error instanceof FrameTooLarge)) throw error;
      this.fail(request, error);
      return undefined;
    }
    const link = new WebSocketLink(id, this.limits, CREDIT_BYTES / 2, this.#channel, () => {
      this.#webSockets.delete(id);
    });
    this.#webSockets.set(id, link);
    return link;
  }

  /**
   * Whether a response that is not whole at the end of its turn may be sent in pieces. Says once in the log where an old core makes
   * clients wait for the end of an event stream.
   *
   * @param {string} headers as JSON
   */
  mayStream(headers) {
    if (this.#mayStream) return true;
    if (!hasToldOfEvents && headers.includes("text/event-stream")) {
      hasToldOfEvents = true;
      console.error("handoff: this core takes responses whole, so a text/event-stream is sent when it ends: update it");
    }
    return false;
  }

  /** Calls back at the end of this turn. @param {import("../protocol/channel.mjs").Unfinished} unfinished */
  atTurnEnd(unfinished) {
    this.#channel.atTurnEnd(unfinished);
  }

  /** Fails a request, and logs the error with its trace. @param {PlainRequest} request @param {unknown} error what the handler threw */
  fail(request, error) {
    failures.failed(request, error);
    this.#sendFailure(request.id, shortMessage(error));
  }

  /** Fails all requests that have begun. @param {unknown} error */
  failAll(error) {
    for (const [id] of [...this.#waiting.entries(), ...this.#streams.entries()]) {
      this.#sendFailure(id, shortMessage(error));
    }
    this.#waiting.clear();
    for (const stream of this.#streams.values()) stream.close();
    for (const [id, link] of this.#webSockets.entries()) link.finish(failureJson(id, shortMessage(error)));
  }

  /** Calls back when the responses so far have left. @param {() => void} flushed */
  afterFlush(flushed) {
    this.#channel.afterFlush(flushed);
  }

  /** @param {string} json @param {Buffer} body */
  #take(json, body) {
    if (beginsRequest(json)) {
      this.#request(readHead(json), body, hasMore(json, body.length));
      return;
    }
    const message = readMessage(json, body.length);
    switch (message?.type) {
      case "request":
        this.#request(parseHead(message), body, message.more === true);
        break;
      case "data":
        this.#piece(message.id, body, message.more === true);
        break;
      case "welcome":
        this.#welcome(message);
        break;
      case "refused":
        this.#events.refused(message.code, message.message);
        break;
      case "credit":
        (this.#streams.get(message.id) ?? this.#webSockets.get(message.id))?.grant(message.bytes);
        break;
      case "message":
        this.#webSockets.get(message.id)?.messageCame(body, message.text === true);
        break;
      case "close":
        this.#webSockets.get(message.id)?.closeCame(message.code ?? NO_CODE, message.reason ?? "");
        break;
      case "cancel":
        this.#cancel(message.id, message.reason);
        break;
      case "drain":
        this.#events.drained();
        break;
      case "ping":
        this.#channel.send('{"type":"pong"}');
        break;
      default: // a message of a newer core
    }
  }

  /** @param {import("../protocol/plain-request.mjs").Head} head @param {Buffer} body @param {boolean} more whether pieces follow */
  #request(head, body, more) {
    if (this.#leaving) this.#channel.send(failureJson(head.id, LEAVING, true));
    else {
      const request = more ? this.#inPieces(head, body) : new PlainRequest(head, body);
      if (this.#kept.isNeeded) this.#kept.add(request);
      else this.#dispatch(request, this);
    }
  }

  /** @param {import("../protocol/plain-request.mjs").Head} head @param {Buffer} first piece */
  #inPieces(head, first) {
    const { id } = head;
    const body = new RequestBody(first, (bytes) => this.#channel.send(creditJson(id, bytes)));
    this.#bodies.set(id, body);
    return new PlainRequest(head, NOTHING, body);
  }

  /** @param {number} id @param {Buffer} piece @param {boolean} more whether another one follows */
  #piece(id, piece, more) {
    this.#bodies.get(id)?.add(piece, more);
    if (!more) this.#bodies.delete(id);
  }

  /** Drops what comes of a request that is answered. @param {number} id */
  #answered(id) {
    if (this.#bodies.size === 0) return;
    const why = "the request was answered before its body was read, and no more of it comes";
    this.#cutOff(id, tellingOfTheEnd(new BodyCutOff(why)));
  }

  /** @param {number} id @param {Error} error */
  #cutOff(id, error) {
    this.#bodies.get(id)?.cutOff(error);
    this.#bodies.delete(id);
  }

  /** @param {number} id @param {string} why @param {boolean} [retry] whether another worker may get it */
  #sendFailure(id, why, retry) {
    this.#channel.send(failureJson(id, why, retry));
    this.#answered(id);
  }

  /** @param {any} message */
  #welcome(message) {
    if (message.protocol !== PROTOCOL) throw new BrokenFrame(`the core speaks protocol ${message.protocol}`);
    this.#channel.limits = { ...message.limits, streamBytes: message.limits.streamBytes ?? 0 };
    const features = Array.isArray(message.features) ? message.features : [];
    this.#mayStream = features.includes(STREAMS);
    this.#channel.takesFragments = features.includes(FRAGMENTS);
    this.#events.welcomed(this);
  }

  /** @param {number} id @param {string} reason */
  #cancel(id, reason) {
    if (this.#bodies.size > 0) this.#cutOff(id, PlainRequest.cancellation(reason));
    const stream = this.#streams.get(id);
    if (stream !== undefined) {
      stream.cancel();
      PlainRequest.cancel(stream.request, reason);
      return;
    }
    const request = this.#waiting.get(id);
    if (request === undefined) {
      this.#cancelOutside(id, reason);
      return;
    }
    const longestMillis = PlainRequest.cancel(request, reason);
    if (this.#waiting.delete(id)) this.#abandoned.add(id, reason, longestMillis); // else the handler gave the request up
  }

  /** Cancels what has no handler: it is kept, or its response is held. What is neither is on its way. @param {number} id @param {string} reason */
  #cancelOutside(id, reason) {
    if (this.#kept.delete(id)) this.#channel.send(failureJson(id, `cancelled before it began: ${reason}`));
    else if (this.#channel.takeBack(id)) {
      this.#channel.send(failureJson(id, `cancelled before its response left: ${reason}`));
    }
  }

  /** @param {Error} [error] */
  #end(error) {
    const streams = this.#streams.values();
    const waiting = [...this.#waiting.values(), ...streams.map(({ request }) => request)];
    this.#waiting.clear();
    for (const body of this.#bodies.values()) body.cutOff(PlainRequest.cancellation("core_gone"));
    this.#bodies.clear();
    for (const stream of streams) stream.close();
    const webSockets = this.#webSockets.values();
    this.#webSockets.clear();
    for (const link of webSockets) callApart(() => link.coreIsGone());
    this.#abandoned.clear();
    this.#kept.giveBack();
    for (const request of waiting) callApart(PlainRequest.cancel, request, "core_gone");
    this.#events.ended(error);
  }
}
