/** In one turn of the event loop, so that the core always has something to take. */
const TURNS_AT_ONCE = 4;

/** @typedef {{ takeTurn: () => boolean }} TakesTurns sends one piece or message, and returns whether there was one */

/**
 * The responses in pieces and the WebSockets that have credit and something to send, in the order in which they came. Each gets a
 * turn, which is one piece or one message, and comes again behind the others.
 */
export class PieceTurns {
  #takesMore;
  #isDue = false;
  /** @type {Set<TakesTurns>} */
  #waiting = new Set();

  /** @param {() => boolean} takesMore whether the core takes so fast that a turn may be given */
  constructor(takesMore) {
    this.#takesMore = takesMore;
  }

  get isEmpty() {
    return this.#waiting.size === 0;
  }

  /** @param {TakesTurns} waiting */
  add(waiting) {
    this.#waiting.add(waiting);
    this.giveSoon();
  }

  /** Gives turns from now on, as long as the core takes more. */
  giveSoon() {
    if (this.#isDue || this.isEmpty || !this.#takesMore()) return;
    this.#isDue = true;
    setImmediate(this.#give);
  }

  #give = () => {
    this.#isDue = false;
    let given = 0;
    for (const stream of this.#waiting) {
      if (given === TURNS_AT_ONCE || !this.#takesMore()) break;
      this.#waiting.delete(stream);
      if (stream.takeTurn()) given++;
    }
    this.giveSoon();
  };
}
