/** A body that is larger waits here until it leaves, one with more letters too. */
export const LARGE_BYTES = 64 * 1024;

/**
 * The large whole responses that have not begun to leave, the oldest first. While the core takes no more they wait here and not in
 * the socket, so that a cancel can take them back.
 */
export class HeldResponses {
  /** The bytes of their bodies. */
  bytes = 0;
  /** By the ids that they answer. @type {Map<number, { json: string, body: Uint8Array }>} */
  #frames = new Map();

  get isEmpty() {
    return this.#frames.size === 0;
  }

  /** @param {number} id @param {string} json @param {Uint8Array} body must not be changed afterwards */
  add(id, json, body) {
    this.takeBack(id); // only a core that breaks the protocol asks twice
    this.#frames.set(id, { json, body });
    this.bytes += body.length;
  }

  /** Drops a response. Returns whether it was here. @param {number} id */
  takeBack(id) {
    const frame = this.#frames.get(id);
    if (frame === undefined) return false;
    this.#frames.delete(id);
    this.bytes -= frame.body.length;
    return true;
  }

  /** Takes the oldest out; undefined when there is none. */
  takeOldest() {
    for (const [id, frame] of this.#frames) {
      this.takeBack(id);
      return frame;
    }
    return undefined;
  }

  clear() {
    this.#frames.clear();
    this.bytes = 0;
  }
}
