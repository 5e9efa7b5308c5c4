"use strict";

/** @typedef {number | string} Place a TCP port, or the path of a Unix socket */
/** @typedef {"serve" | "wait" | "join" | "open" | "refuse"} Verdict what becomes of a server that listens */

/** A server that listens later than this after the start is no part of it, and just listens. */
const START_MILLIS = 60_000;

/**
 * Which of the places that a program listens at is the application's: the one that `HANDOFF_APP_PORT` names, else `PORT`, else the
 * only one. So the first that nobody has named has to wait, until others have had the time to listen, too.
 */
class ApplicationPort {
  #named;
  #strict;
  /** @type {Place | undefined} */
  #chosen;
  #waiting = false;

  /** @param {{ HANDOFF_APP_PORT?: string, PORT?: string }} environment */
  constructor({ HANDOFF_APP_PORT, PORT }) {
    this.#strict = Boolean(HANDOFF_APP_PORT);
    this.#named = placeOf(HANDOFF_APP_PORT || PORT);
  }

  /** @returns {Place | undefined} */
  get named() {
    return this.#named;
  }

  /** @returns {Place | undefined} */
  get chosen() {
    return this.#chosen;
  }

  /**
   * `serve` it, now, and let any other that was chosen open its own; let it `wait` for `settle`; `join` the one of the same
   * place, which gets the requests; `open` it, as somebody else's; or `refuse` to guess.
   *
   * @param {Place} place
   * @param {number} millis since the start of the process
   * @returns {Verdict}
   */
  listens(place, millis) {
    if (place === this.#chosen) return "join";
    if (place === this.#named) {
      this.#chosen = place;
      this.#waiting = false;
      return "serve";
    }
    if (this.#strict) return "open";
    if (this.#chosen === undefined) {
      this.#chosen = place;
      this.#waiting = true;
      return "wait";
    }
    // Nobody can know which port it gets, so it is for somebody whom the program tells.
    if (place === 0 || this.#chosen === this.#named) return "open";
    return millis < START_MILLIS ? "refuse" : "open";
  }

  /** Whether the one that waited is the only one, and is to be served. */
  settle() {
    const only = this.#waiting;
    this.#waiting = false;
    return only;
  }

  /** The one that waited is none after all. */
  forget() {
    this.#waiting = false;
    this.#chosen = undefined;
  }
}

/** @param {string | undefined} text */
function placeOf(text) {
  if (!text) return undefined;
  return /^\d+$/.test(text) ? Number(text) : text;
}

module.exports = { ApplicationPort, START_MILLIS };
