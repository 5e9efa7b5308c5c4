import { AsyncResource } from "node:async_hooks";
import { STATUS_CODES } from "node:http";
import { Duplex } from "node:stream";
import { PlainRequest } from "../protocol/plain-request.mjs";
import { HeaderList } from "../protocol/response-json.mjs";
import { ABNORMAL, MessageTooLarge, mayCloseWith, NO_CODE, NORMAL } from "../protocol/web-socket-link.mjs";
import { BadFrame, closeFrame, messageFrame, pongFrame, ServerFrames } from "../web-socket/server-frames.mjs";
import { addressOf, familyOf, portOf } from "./client-address.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/web-socket-link.mjs").WebSocketLink} WebSocketLink */

const END_OF_HEAD = "\r\n\r\n";
const MOST_HEAD_BYTES = 64 * 1024;
const NOTHING = Buffer.alloc(0);
/** The core's own, in place of what the application says. */
const OWNED = new Set([
  "connection",
  "upgrade",
  "sec-websocket-accept",
  "sec-websocket-extensions",
  "content-length",
  "transfer-encoding",
]);

/**
 * The socket of an `upgrade` event. The application, or a library such as `ws`, writes the head of its response to it, and then
 * frames. The core speaks with the client itself, so this is where frames become messages, and messages frames.
 *
 * It is read as fast as the application reads, and takes as much as the client does.
 */
export class FrameSocket extends Duplex {
  timeout = 0;
  localAddress = "127.0.0.1";
  localFamily = "IPv4";
  connecting = false;
  pending = false;
  bytesRead = 0;
  bytesWritten = 0;
  /** True where the client speaks https, and for a server of node:https, whose TLS ends in front of Handoff. @type {true | undefined} */
  encrypted;
  #request;
  #connection;
  /** The head of the response, as far as it was written; undefined behind it. @type {Buffer | undefined} */
  #head = NOTHING;
  /** Where the application refuses: status, phrase, headers and the content so far. @type {{ status: number, reason: string | undefined, headers: string, content: Buffer[] } | undefined} */
  #refusal;
  /** @type {WebSocketLink | undefined} */
  #link;
  /** @type {ServerFrames | undefined} */
  #frames;
  /** What the application has not read. @type {{ frame: Buffer, bytes: number }[]} */
  #unread = [];
  #mayPush = false;
  #inputEnded = false;
  /** A write that waits for credit. @type {(() => void) | undefined} */
  #written;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {PlainRequest} request @param {Connection} connection @param {any} server that gets the request */
  constructor(request, connection, server) {
    super({ allowHalfOpen: true });
    this.#request = request;
    this.#connection = connection;
    this.server = server;
    if (request.scheme === "https" || (server && "_sharedCreds" in server)) this.encrypted = true;
    connection.begin(request);
    PlainRequest.onCancel(request, () => {
      this.destroy();
      return undefined;
    });
  }

  get remoteAddress() {
    return addressOf(this.#request.client);
  }

  get remotePort() {
    return portOf(this.#request.client);
  }

  get remoteFamily() {
    return familyOf(this.#request.client);
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
    return this.#request.clientCertificate;
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

  destroySoon() {
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy()).end();
  }

  /** @param {number} millis 0 for none @param {() => void} [callback] */
  setTimeout(millis, callback) {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.timeout = millis;
    if (callback && millis === 0) this.off("timeout", callback);
    else if (callback) this.once("timeout", callback);
    if (millis > 0 && !this.destroyed) this.#timer = setTimeout(() => this.emit("timeout"), millis).unref();
    return this;
  }

  setNoDelay() {
    return this;
  }

  setKeepAlive() {
    return this;
  }

  ref() {
    return this;
  }

  unref() {
    return this;
  }

  _read() {
    this.#mayPush = true;
    this.#pushSome();
  }

  /** @param {Buffer | string} chunk @param {BufferEncoding} encoding @param {(error?: Error | null) => void} written */
  _write(chunk, encoding, written) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    this.bytesWritten += bytes.length;
    this.#timer?.refresh();
    try {
      if (this.#head !== undefined) this.#readHead(bytes);
      else this.#readContent(bytes);
    } catch (error) {
      if (!(error instanceof BadFrame || error instanceof MessageTooLarge)) throw error;
      written(error);
      return;
    }
    if (this.#link?.isOpen && !this.#link.hasRoom) this.#wait(written);
    else written();
  }

  /** Has a write wait for room. What the application hears of it then comes in its own context. @param {() => void} written */
  #wait(written) {
    const context = new AsyncResource("HANDOFF_WRITE");
    this.#written = () => context.runInAsyncScope(written);
  }

  /** @param {(error?: Error | null) => void} finished */
  _final(finished) {
    if (this.#refusal) this.#refuse(this.#refusal);
    else if (this.#link) this.#link.close(NORMAL);
    else this.#connection.abandon(this.#request, "the socket of an upgrade was ended without a response");
    finished();
    this.#endInput();
  }

  /** @param {Error | null} error @param {(error: Error | null) => void} destroyed */
  _destroy(error, destroyed) {
    clearTimeout(this.#timer);
    this.#unread = [];
    if (this.#refusal && !error) this.#refuse(this.#refusal);
    else if (this.#link) this.#link.close(error ? 1011 : NORMAL);
    else this.#connection.abandon(this.#request, "the socket of an upgrade was destroyed");
    destroyed(error);
  }

  /** @param {Buffer} bytes */
  #readHead(bytes) {
    const head = Buffer.concat([/** @type {Buffer} */ (this.#head), bytes]);
    const end = head.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (head.length > MOST_HEAD_BYTES) throw new BadFrame("the head of the response to an upgrade has no end");
      this.#head = head;
      return;
    }
    this.#head = undefined;
    this.#begin(head.toString("latin1", 0, end));
    const rest = head.subarray(end + END_OF_HEAD.length);
    if (rest.length > 0) this.#readContent(rest);
  }

  /** @param {string} head */
  #begin(head) {
    const [statusLine, ...lines] = head.split("\r\n");
    const parts = /^HTTP\/1\.[01] ([1-5]\d\d)(?: (.*))?$/.exec(statusLine);
    if (!parts) throw new BadFrame(`the response to an upgrade begins with ${JSON.stringify(statusLine)}`);
    const list = new HeaderList();
    for (const line of lines) {
      const colon = line.indexOf(":");
      const name = line.slice(0, colon);
      if (!OWNED.has(name.toLowerCase())) list.add(name, line.slice(colon + 1).trim());
    }
    const status = Number(parts[1]);
    if (status === 101) this.#accept(list.json);
    else {
      const usual = STATUS_CODES[status] === parts[2];
      this.#refusal = { status, reason: usual ? undefined : parts[2], headers: list.json, content: [] };
    }
  }

  /** @param {string} headers */
  #accept(headers) {
    const link = this.#connection.accept(this.#request, headers);
    if (!link) throw new BadFrame("nobody waits for this WebSocket any more");
    this.#link = link;
    this.#frames = new ServerFrames(this.#connection.limits.bodyBytes, {
      message: (message) => link.send(message),
      ping: (payload) => this.#give(pongFrame(payload), 0),
      close: (code, reason) => this.#closed(link, code, reason),
    });
    link.onMessage = (message) => {
      const frame = messageFrame(message);
      this.#give(frame, typeof message === "string" ? Buffer.byteLength(message) : message.length);
    };
    link.onRoom = () => this.#goOn();
    link.onClose = (code, reason) => this.#ended(code, reason);
  }

  /** The application closes: its client's answer is given here. @param {WebSocketLink} link @param {number | undefined} code @param {string} reason */
  #closed(link, code, reason) {
    link.close(code === undefined || mayCloseWith(code) ? code : 1011, reason);
    this.#give(closeFrame(code, ""), 0);
    this.#endInput();
  }

  /** @param {number} code @param {string} reason */
  #ended(code, reason) {
    this.#goOn();
    if (code === ABNORMAL) {
      this.#clientIsGone();
      return;
    }
    this.#give(closeFrame(code === NO_CODE ? undefined : code, reason), 0);
    this.#endInput();
  }

  /** As with a connection that ends, who reads comes to the end and hears of no error. */
  #clientIsGone() {
    if (this.readableFlowing === null && this.listenerCount("readable") === 0) this.destroy();
    else {
      this.once("end", () => this.destroy());
      this.#endInput();
    }
  }

  #goOn() {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  /** @param {Buffer} bytes */
  #readContent(bytes) {
    if (this.#refusal) this.#refusal.content.push(bytes);
    else if (this.#link?.isOpen) this.#frames?.read(bytes);
  }

  /** @param {{ status: number, reason: string | undefined, headers: string, content: Buffer[] }} refusal */
  #refuse({ status, reason, headers, content }) {
    this.#refusal = undefined;
    if (!this.#connection.settle(this.#request)) return;
    this.#connection.answer(this.#request, status, reason, headers, Buffer.concat(content));
  }

  /** Has the application read a frame, which holds a message of so many bytes. @param {Buffer} frame @param {number} bytes */
  #give(frame, bytes) {
    if (this.destroyed || this.#inputEnded) return;
    this.#unread.push({ frame, bytes });
    this.#timer?.refresh();
    this.#pushSome();
  }

  #pushSome() {
    for (let next = this.#unread[0]; this.#mayPush && next !== undefined; next = this.#unread[0]) {
      this.#unread.shift();
      this.bytesRead += next.frame.length;
      this.#link?.taken(next.bytes);
      this.#mayPush = this.push(next.frame);
    }
    if (this.#inputEnded && this.#unread.length === 0) this.push(null);
  }

  #endInput() {
    if (this.#inputEnded) return;
    this.#inputEnded = true;
    this.#pushSome();
  }
}
