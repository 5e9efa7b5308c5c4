/**
 * Stands for the listening socket that an http.Server does not open: the same few methods that node:cluster's workers have,
 * whose primary process listens for them.
 */
export class CoreHandle {
  #port;
  #closed;

  /** @param {number} port that the program asked for @param {() => void} closed */
  constructor(port, closed) {
    this.#port = port;
    this.#closed = closed;
  }

  /** @param {{ address?: string, family?: string, port?: number }} out */
  getsockname(out) {
    out.address = "127.0.0.1";
    out.family = "IPv4";
    out.port = this.#port;
    return 0;
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
