"use strict";

/** @typedef {import("./application-port.cjs").Place} Place */

/**
 * Stands for the listening socket that an http.Server does not open. It has the methods of the handle in a worker of node:cluster,
 * whose primary process listens for it.
 */
class CoreHandle {
  #closed;

  /** @param {Place} place that the program asked for @param {() => void} closed */
  constructor(place, closed) {
    this.#closed = closed;
    /** Gives net.Server the address of a port; a path it knows by itself. */
    this.getsockname = typeof place === "number" ? address.bind(undefined, place) : undefined;
  }

  /** @param {() => void} [callback] */
  close(callback) {
    this.#closed();
    if (callback) process.nextTick(callback);
  }

  listen() {
    return 0;
  }

  ref() {}

  unref() {}

  hasRef() {
    return true;
  }
}

/** @param {number} port @param {{ address?: string, family?: string, port?: number }} out */
function address(port, out) {
  out.address = "127.0.0.1";
  out.family = "IPv4";
  out.port = port;
  return 0;
}

module.exports = { CoreHandle };
