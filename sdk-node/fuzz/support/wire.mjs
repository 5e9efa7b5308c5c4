import assert from "node:assert/strict";
import { PlainRequest } from "../../src/protocol/plain-request.mjs";
import { ForbiddenResponse, responseJson } from "../../src/protocol/response-json.mjs";
import { assertResponse } from "./response.mjs";

/** A request as a frame of the core tells it. */
export function requestOf({ method = "GET", target = "/", headers = [["host", "localhost"]], body = "" } = {}) {
  const tail = { headers, client: "127.0.0.1:1234" };
  return new PlainRequest({ id: 1, timeoutMillis: 30_000, method, target, version: "1.1", tail }, Buffer.from(body));
}

/** Where the response to one request goes, which may come once, and only as the core takes it. */
export class Wire {
  limits = { jsonBytes: 1 << 20, bodyBytes: 2000 };
  /** The response, or why there is none. @type {any} */
  outcome;
  #begun = false;
  #settled = false;
  #flushed = [];

  begin() {
    assert.ok(!this.#begun, "a request begins once");
    this.#begun = true;
  }

  settle() {
    const first = !this.#settled;
    this.#settled = true;
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

  afterFlush(flushed) {
    this.#flushed.push(flushed);
  }

  /** As the channel does at the end of a turn. */
  flush() {
    for (const flushed of this.#flushed.splice(0)) flushed();
  }

  #take(outcome) {
    assert.equal(this.outcome, undefined, "a request is answered once");
    this.outcome = outcome;
  }
}
