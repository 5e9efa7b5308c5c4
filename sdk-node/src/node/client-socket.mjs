import { EventEmitter } from "node:events";

/** What node:http's classes ask of a socket's state when they cork it. */
const NOTHING_WRITTEN = { corked: 0 };

/**
 * What `req.socket` and `res.socket` are: as much of a net.Socket as applications and middleware look at. The connection
 * itself is the core's: nothing can be read from it or written to it here, and it has no timeouts of its own.
 */
export class ClientSocket extends EventEmitter {
  readable = true;
  writable = true;
  destroyed = false;
  connecting = false;
  pending = false;
  timeout = 0;
  bytesRead = 0;
  bytesWritten = 0;
  writableLength = 0;
  writableHighWaterMark = 16 * 1024;
  /** Corked for ever, so that node:http does not try to. */
  writableCorked = 1;
  _writableState = NOTHING_WRITTEN;
  /** Never to be resumed. */
  _paused = true;
  /** @type {unknown} The response of this request, by which it knows that it is first in line. */
  _httpMessage = undefined;
  #client;
  #destroy;

  /**
   * @param {{ client: string }} request where `client` is `address:port`
   * @param {(error?: Error) => void} destroy called once, when the application destroys it
   */
  constructor(request, destroy) {
    super();
    this.#client = request;
    this.#destroy = destroy;
  }

  get remoteAddress() {
    const { client } = this.#client;
    const address = client.slice(0, client.lastIndexOf(":"));
    return address.startsWith("[") ? address.slice(1, -1) : address;
  }

  get remotePort() {
    const { client } = this.#client;
    return Number(client.slice(client.lastIndexOf(":") + 1));
  }

  get remoteFamily() {
    return this.#client.client.startsWith("[") ? "IPv6" : "IPv4";
  }

  get readyState() {
    return this.destroyed ? "closed" : "open";
  }

  address() {
    return {};
  }

  /** @param {Error} [error] */
  destroy(error) {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.readable = this.writable = false;
    this.#destroy(error);
    return this;
  }

  destroySoon() {
    this.destroy();
  }

  end() {
    return this.destroy();
  }

  write() {
    return false;
  }

  cork() {}

  uncork() {}

  pause() {
    return this;
  }

  resume() {
    return this;
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  setTimeout() {
    return this;
  }

  setNoDelay() {
    return this;
  }

  setKeepAlive() {
    return this;
  }
}
