import { EventEmitter } from "node:events";
import { addressOf, familyOf, portOf } from "./client-address.mjs";

/** The part of a socket's state that node:http reads when it corks one. */
const NOTHING_WRITTEN = { corked: 0 };

/**
 * The `req.socket` and `res.socket`: as much of a net.Socket as applications and middleware look at. The core has the connection
 * itself, so nothing can be read from it or written to it here. Its timeout runs until the response is sent.
 */
export class ClientSocket extends EventEmitter {
  readable = true;
  writable = true;
  destroyed = false;
  connecting = false;
  timeout = 0;
  /** True where the client speaks https, and for a server of node:https, whose TLS ends in front of Handoff. @type {true | undefined} */
  encrypted;
  writableLength = 0;
  /** Always corked, so that node:http does not cork it. */
  writableCorked = 1;
  _writableState = NOTHING_WRITTEN;
  /** Always paused, so that node:http does not resume it. */
  _paused = true;
  /** Whether it broke before all was sent, as node:http asks before it emits `finish`. */
  _hadError = false;
  /** @type {unknown} The response of this request, by which it knows that it is first in line. */
  _httpMessage = undefined;
  #client;
  #owner;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {{ client: string, scheme?: string, clientCertificate?: import("node:crypto").X509Certificate }} request where `client` is `address:port`
   * @param {import("node:http").Server | undefined} server that gets the request
   * @param {{ destroyed(error?: Error): void, idle(): void }} owner hears each time that the application destroys it, and of a timeout
   *   before the listeners, as node:http does
   */
  constructor(request, server, owner) {
    super();
    this.#client = request;
    this.server = server;
    this.#owner = owner;
    if (request.scheme === "https" || (server && "_sharedCreds" in server)) this.encrypted = true;
  }

  // What is the same for all takes no memory of each.

  get pending() {
    return false;
  }

  get localAddress() {
    return "127.0.0.1";
  }

  get localFamily() {
    return "IPv4";
  }

  get bytesRead() {
    return 0;
  }

  get bytesWritten() {
    return 0;
  }

  get writableHighWaterMark() {
    return 16 * 1024;
  }

  get remoteAddress() {
    return addressOf(this.#client.client);
  }

  get remotePort() {
    return portOf(this.#client.client);
  }

  get remoteFamily() {
    return familyOf(this.#client.client);
  }

  /** Whether the client has shown a certificate, as a socket of node:tls has it; undefined where it does not speak https. */
  get authorized() {
    return this.encrypted && this.getPeerX509Certificate() !== undefined;
  }

  /** What the client has shown; an empty object for nothing, as node:tls has it. */
  getPeerCertificate() {
    return this.getPeerX509Certificate()?.toLegacyObject() ?? {};
  }

  getPeerX509Certificate() {
    return this.#client.clientCertificate;
  }

  /** The port that the server was told to listen on, although it listens on none. */
  get localPort() {
    const address = this.server?.address();
    return typeof address === "object" ? address?.port : undefined;
  }

  get readyState() {
    return this.destroyed ? "closed" : "open";
  }

  address() {
    const { localAddress: address, localFamily: family, localPort: port } = this;
    return port === undefined ? {} : { address, family, port };
  }

  /** @param {Error} [error] */
  destroy(error) {
    this.destroyed = true;
    this.readable = this.writable = false;
    this.#owner.destroyed(error);
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

  /** @param {number} millis 0 for none @param {() => void} [callback] */
  setTimeout(millis, callback) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.timeout = millis;
    if (callback && millis === 0) this.off("timeout", callback);
    else if (callback) this.once("timeout", callback);
    if (millis > 0 && !this.destroyed) this.#timer = setTimeout(() => this.#timedOut(), millis).unref();
    return this;
  }

  /** Begins the timeout anew, when a part of the response was sent. */
  touch() {
    this.#timer?.refresh();
  }

  #timedOut() {
    this.#timer = undefined;
    this.#owner.idle();
    this.emit("timeout");
  }

  setNoDelay() {
    return this;
  }

  setKeepAlive() {
    return this;
  }
}
