/** @typedef {import("../protocol/channel.mjs").Channel} Channel */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

/** How many requests begin in one turn. What they respond is seen before others begin. */
const MOST_BEGUN = 8;

/**
 * The requests that have not begun, since the core has not taken the responses to others, the oldest first. They begin in this order
 * as it takes them.
 */
export class KeptRequests {
  #channel;
  #begin;
  /** The requests by their ids, each with the time from which on it was kept. @type {Map<number, { request: PlainRequest, since: number }>} */
  #requests = new Map();

  /** @param {Channel} channel @param {(request: PlainRequest) => void} begin */
  constructor(channel, begin) {
    this.#channel = channel;
    this.#begin = begin;
  }

  /** Whether a request that comes now has to be kept. */
  get isNeeded() {
    return this.#requests.size > 0 || this.#channel.isFull;
  }

  /** @param {PlainRequest} request */
  add(request) {
    this.#requests.set(request.id, { request, since: performance.now() });
    if (this.#requests.size === 1) this.#channel.whenRoom(this.#beginSome);
  }

  /** Drops a request. Returns whether it was kept. @param {number} id */
  delete(id) {
    return this.#requests.delete(id);
  }

  /** Drops all requests, and returns their ids. */
  giveBack() {
    const ids = [...this.#requests.keys()];
    this.#requests.clear();
    return ids;
  }

  #beginSome = () => {
    let begun = 0;
    for (const [id, { request, since }] of this.#requests) {
      if (begun++ === MOST_BEGUN || this.#channel.isFull) break;
      this.#requests.delete(id);
      request.timeoutMillis = Math.max(0, request.timeoutMillis - Math.round(performance.now() - since));
      this.#begin(request);
    }
    if (this.#requests.size > 0) this.#channel.whenRoom(this.#beginSome);
  };
}
