import { callApart } from "./call-apart.mjs";

/** In one turn of the event loop, so that the core always has something to take. */
const TURNS_AT_ONCE = 4;

/** @typedef {{ takeTurn: () => boolean }} TakesTurns sends one piece or message, and returns whether there was one */

/**
 * The responses in pieces and the WebSockets that have credit and something to send. Each gets a turn, which is one piece or one
 * message, and comes again behind the others. Large messages stand in a row of their own, and the two rows take turns: so a piece
 * waits behind one of them, not behind a broadcast.
 */
export class PieceTurns {
  #takesMore;
  #later;
  #isDue = false;
  /** @type {Set<TakesTurns>} */
  #small = new Set();
  /** @type {Set<TakesTurns>} */
  #large = new Set();
  #largeIsNext = false;

  /**
   * @param {() => boolean} takesMore whether the core takes so fast that a turn may be given
   * @param {(give: () => void) => void} later calls back in a later turn of the event loop, which belongs to no request
   */
  constructor(takesMore, later) {
    this.#takesMore = takesMore;
    this.#later = later;
  }

  get isEmpty() {
    return this.#small.size === 0 && this.#large.size === 0;
  }

  /** @param {TakesTurns} waiting @param {boolean} isLarge whether it has to send more than a piece */
  add(waiting, isLarge) {
    (isLarge ? this.#large : this.#small).add(waiting);
    this.giveSoon();
  }

  /** Gives turns from now on, as long as the core takes more. */
  giveSoon() {
    if (this.#isDue || this.isEmpty || !this.#takesMore()) return;
    this.#isDue = true;
    this.#later(this.#give);
  }

  #give = () => {
    this.#isDue = false;
    let given = 0;
    while (!this.isEmpty && given < TURNS_AT_ONCE && this.#takesMore()) {
      const next = this.#next();
      if (callApart(() => next.takeTurn())) given++;
    }
    this.giveSoon();
  };

  #next() {
    const isLarge = this.#large.size > 0 && (this.#largeIsNext || this.#small.size === 0);
    this.#largeIsNext = !isLarge;
    const row = isLarge ? this.#large : this.#small;
    const [first] = row;
    row.delete(first);
    return first;
  }
}
