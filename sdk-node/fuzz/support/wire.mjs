import assert from "node:assert/strict";
import { PlainRequest } from "../../src/protocol/plain-request.mjs";
import { ForbiddenResponse, responseJson } from "../../src/protocol/response-json.mjs";
import { ResponseStream } from "../../src/protocol/response-stream.mjs";
import { assertResponse } from "./response.mjs";

/** So much comes before the core has to read again. */
const MOST_UNREAD_BYTES = 200;

/** A request as a frame of the core tells it. */
export function requestOf({ method = "GET", target = "/", headers = [["host", "localhost"]], body = "" } = {}) {
  const tail = { headers, client: "127.0.0.1:1234" };
  return new PlainRequest({ id: 1, timeoutMillis: 30_000, method, target, version: "1.1", tail }, Buffer.from(body));
}

/** Where the response to one request goes, which may come once, and only as the core takes it: whole or, where it streams, in pieces. */
export class Wire {
  limits = { jsonBytes: 1 << 20, bodyBytes: 2000, streamBytes: 300 };
  /** The response, or why there is none. @type {any} */
  outcome;
  #begun = false;
  #settled = false;
  #flushed = [];
  #unfinished = [];
  #streams;
  /** @type {ResponseStream | undefined} */
  #stream;
  /** What may still come, and what has come since the last credit. */
  #credit = this.limits.streamBytes;
  #came = 0;
  /** What waits for its turn, since the core does not read so fast. @type {import("../../src/protocol/piece-turns.mjs").TakesTurns[]} */
  #turns = [];

  /** @param {boolean} [streams] whether it takes responses in pieces */
  constructor(streams = false) {
    this.#streams = streams;
  }

  begin() {
    assert.ok(!this.#begun, "a request begins once");
    this.#begun = true;
  }

  settle() {
    const first = !this.#settled || this.#stream !== undefined;
    this.#settled = true;
    this.#stream?.close();
    return first;
  }

  abandon(_request, why) {
    if (this.settle()) this.#take({ failure: why });
  }

  fail(_request, error) {
    this.#take({ failure: error });
  }

  answer(request, status, reason, headers, body) {
    try {
      const response = assertResponse(responseJson(request.id, status, reason, headers));
      this.#take({ ...response, body: Buffer.from(body) });
    } catch (error) {
      if (!(error instanceof ForbiddenResponse)) throw error;
      this.fail(request, error);
    }
  }

  mayStream() {
    return this.#streams;
  }

  atTurnEnd(unfinished) {
    this.#unfinished.push(unfinished);
  }

  stream(request, status, reason, headers, content) {
    if (!this.settle()) return undefined;
    const pieces = [];
    const wire = this;
    const outlet = {
      send: (json, body) => {
        assert.ok(body.length === 0 || this.#credit > 0, "a piece has credit");
        assert.ok(body.length <= this.limits.bodyBytes, "a piece is no larger than the core takes");
        this.#credit -= body.length;
        this.#came += body.length;
        pieces.push(Buffer.from(body));
        if (JSON.parse(json).more !== true) this.#take({ ...head, body: Buffer.concat(pieces), inPieces: true });
      },
      get takesPieces() {
        return wire.#turns.length === 0 && wire.#came < MOST_UNREAD_BYTES;
      },
      awaitTurn: (waiting) => this.#turns.push(waiting),
      afterFlush: (flushed) => this.afterFlush(flushed),
    };
    /** @type {any} */
    let head;
    try {
      const json = responseJson(request.id, status, reason, headers, true);
      head = assertResponse(json);
      this.#stream = new ResponseStream(request, this.limits, outlet, () => {
        this.#stream = undefined;
      });
      this.#stream.begin(json, content);
    } catch (error) {
      if (!(error instanceof ForbiddenResponse)) throw error;
      this.fail(request, error);
    }
    return this.#stream;
  }

  afterFlush(flushed) {
    this.#flushed.push(flushed);
  }

  /** As the channel does at the end of a turn. Then the client takes what has come. */
  flush() {
    for (const unfinished of this.#unfinished.splice(0)) unfinished.turnEnds();
    for (const flushed of this.#flushed.splice(0)) flushed();
    const taken = this.#came;
    this.#came = 0;
    this.#credit += taken;
    this.#stream?.grant(taken);
    for (const waiting of this.#turns.splice(0)) waiting.takeTurn();
  }

  #take(outcome) {
    assert.equal(this.outcome, undefined, "a request is answered once");
    this.outcome = outcome;
  }
}
