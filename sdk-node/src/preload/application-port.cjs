"use strict";

/** @typedef {number | string} Place a TCP port, or the path of a Unix socket */
/** @typedef {"serve" | "wait" | "join" | "open" | "refuse"} Verdict what to do with a server that listens */

/** A server that listens later than this after the start of the process is not the application. */
const START_MILLIS = 60_000;

/**
 * Decides which of the places that a program listens at is the application's: the one that `HANDOFF_APP_PORT` names, else `PORT`,
 * else the only one. So a first place that neither names has to wait until others have had the time to listen, too.
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
   * What to do with a server: `serve` it now, and let another one that was chosen open its place; let it `wait` for `settle`; let it
   * `join` the one at the same place, which gets the requests; `open` its place, since it is not the application; or `refuse` to guess.
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
    // Only the program knows which port this will be, so it is not the application.
    if (place === 0 || this.#chosen === this.#named) return "open";
    return millis < START_MILLIS ? "refuse" : "open";
  }

  /** Ends the wait. Returns whether the server that waited is the only one, and is to be served. */
  settle() {
    const only = this.#waiting;
    this.#waiting = false;
    return only;
  }

  /** Takes the choice back: the server that waited is not the application. */
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
