/**
 * The handlers whose requests were cancelled before they ended. As many of them may run on as the most, with their places in the
 * window free again. The places of others stay taken until one of all these ends.
 */
export class AbandonedHandlers {
  #most;
  #free;
  /** @type {Set<number>} The ids of those whose place is free. */
  #running = new Set();
  /** @type {Map<number, string>} The reasons of the others' cancels by their ids, the oldest first. */
  #waiting = new Map();
  /** @type {Map<number, NodeJS.Timeout>} By the ids of those that count for so long only. */
  #timers = new Map();

  /** @param {number} most @param {(id: number, reason: string) => void} free called once for each, when its place is free */
  constructor(most, free) {
    this.#most = most;
    this.#free = free;
  }

  /**
   * Counts the handler of a cancelled request.
   *
   * @param {number} id
   * @param {string} reason
   * @param {number} [longestMillis] how long it counts at most; until it ends unless given
   */
  add(id, reason, longestMillis) {
    if (longestMillis === 0) {
      this.#free(id, reason);
      return;
    }
    if (longestMillis !== undefined) this.#timers.set(id, setTimeout(() => this.ended(id), longestMillis).unref());
    this.#waiting.set(id, reason);
    this.#freeNext();
  }

  /** Counts a handler no more. Does nothing for one that does not count. @param {number} id */
  ended(id) {
    const reason = this.#waiting.get(id);
    if (reason !== undefined) {
      this.#waiting.delete(id);
      this.#free(id, reason);
    } else if (!this.#running.delete(id)) {
      return;
    }
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    this.#freeNext();
  }

  /** Counts none any more, and frees no place: the connection is over. */
  clear() {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    for (const ids of [this.#running, this.#waiting, this.#timers]) ids.clear();
  }

  #freeNext() {
    for (const [id, reason] of this.#waiting) {
      if (this.#running.size >= this.#most) return;
      this.#waiting.delete(id);
      this.#running.add(id);
      this.#free(id, reason);
    }
  }
}
