/** @typedef {import("../protocol/channel.mjs").Channel} Channel */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */
/** @typedef {{ request: PlainRequest, since: number }} Kept a request, and the time from which on it was kept */

/** How many requests begin in one turn. What they respond is seen before others begin. */
const MOST_BEGUN = 8;

/**
 * The requests that have not begun, since the core has not taken the responses to others. They begin as it takes them: of each client,
 * which mostly is a connection, one in turn, its oldest. So nobody waits for all that another has sent ahead.
 */
export class KeptRequests {
  #channel;
  #begin;
  /** The clients by the ids of their requests. @type {Map<number, string>} */
  #clients = new Map();
  /** The requests of each client, by their ids. @type {Map<string, Map<number, Kept>>} */
  #rows = new Map();

  /** @param {Channel} channel @param {(request: PlainRequest) => void} begin */
  constructor(channel, begin) {
    this.#channel = channel;
    this.#begin = begin;
  }

  /** Whether a request that comes now has to be kept. */
  get isNeeded() {
    return this.#clients.size > 0 || this.#channel.isFull;
  }

  /** @param {PlainRequest} request */
  add(request) {
    const { id, client } = request;
    this.delete(id); // only a core that breaks the protocol asks twice
    this.#clients.set(id, client);
    const row = this.#rows.get(client) ?? new Map();
    row.set(id, { request, since: performance.now() });
    this.#rows.set(client, row); // where it is there already, it keeps its turn
    if (this.#clients.size === 1) this.#channel.whenRoom(this.#beginSome);
  }

  /** Drops a request. Returns whether it was kept. @param {number} id */
  delete(id) {
    const client = this.#clients.get(id);
    if (client === undefined) return false;
    this.#clients.delete(id);
    const row = this.#rows.get(client);
    row?.delete(id);
    if (row?.size === 0) this.#rows.delete(client);
    return true;
  }

  /** Drops all requests, and returns their ids. */
  giveBack() {
    const ids = [...this.#clients.keys()];
    this.#clients.clear();
    this.#rows.clear();
    return ids;
  }

  #beginSome = () => {
    for (let begun = 0; begun < MOST_BEGUN && !this.#channel.isFull; begun++) {
      const kept = this.#takeNext();
      if (kept === undefined) return;
      const { request, since } = kept;
      request.timeoutMillis = Math.max(0, request.timeoutMillis - Math.round(performance.now() - since));
      this.#begin(request);
    }
    if (this.#clients.size > 0) this.#channel.whenRoom(this.#beginSome);
  };

  /** Takes the oldest request of the client whose turn it is. Its next turn comes after that of all others. */
  #takeNext() {
    for (const [client, row] of this.#rows) {
      this.#rows.delete(client);
      for (const [id, kept] of row) {
        row.delete(id);
        this.#clients.delete(id);
        if (row.size > 0) this.#rows.set(client, row);
        return kept;
      }
    }
    return undefined;
  }
}
