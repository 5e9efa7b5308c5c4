import { Queue } from "./queue.mjs";
import { closeJson, creditJson, messageJson } from "./response-json.mjs";

/** What a message costs of the credit besides its bytes (PROTOCOL.md, `WebSockets`). */
const MESSAGE_COST_BYTES = 64;
/** Messages of up to so many bytes hold up nobody, and take no turns. */
const SMALL_BYTES = 16 * 1024;
const NOTHING = new Uint8Array(0);

/** Close codes (RFC 6455 section 7.4.1). */
export const NORMAL = 1000;
export const NO_CODE = 1005;
export const ABNORMAL = 1006;
/** A close frame has no room for a longer reason. */
export const MOST_REASON_BYTES = 123;
/** The UTF-8 of one code unit of a string. */
const MOST_BYTES_PER_UNIT = 3;

/** A message that the core does not take. Thrown before anything is sent. */
export class MessageTooLarge extends RangeError {}

/** Whether a close may have this code. @param {number} code */
export function mayCloseWith(code) {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
}

/**
 * The way to the core, as far as a WebSocket uses it.
 *
 * @typedef {object} Outlet
 * @property {(json: string, body: string | Uint8Array) => void} send sends a frame with others of this turn
 * @property {boolean} takesPieces whether a large message may leave now, else it takes a turn
 * @property {(link: WebSocketLink) => void} awaitTurn calls `takeTurn` once, after those that wait already
 */

/**
 * One WebSocket as the protocol has it: whole messages both ways. It keeps what is sent without credit, in order: who looks at
 * `hasRoom` is who keeps its memory small. Where the core does not take all at once, large messages leave one a turn, so that the
 * responses of others need not wait behind them.
 */
export class WebSocketLink {
  /** What was sent and waits for credit. */
  waitingBytes = 0;
  /** Called with each message: text as a string. @type {(message: string | Buffer) => void} */
  onMessage = () => {};
  /** Called once, when the client or the core has ended it. @type {(code: number, reason: string) => void} */
  onClose = () => {};
  /** Called when there is room again. */
  onRoom = () => {};
  #id;
  #outlet;
  #mostBytes;
  #credit;
  #step;
  #ended;
  #ungranted = 0;
  #isOpen = true;
  #awaitsTurn = false;
  /** @type {Queue<string | Uint8Array>} */
  #waiting = new Queue();
  /** The frame that ends it, behind what waits. @type {string | undefined} */
  #last;

  /**
   * @param {number} id of the request
   * @param {{ bodyBytes: number, streamBytes: number }} limits the largest message that the core takes, and the credit it begins with
   * @param {number} step how much is taken before the core gets credit for it
   * @param {Outlet} outlet
   * @param {() => void} ended called once, when the final frame was sent
   */
  constructor(id, limits, step, outlet, ended) {
    this.#id = id;
    this.#mostBytes = limits.bodyBytes;
    this.#credit = limits.streamBytes;
    this.#step = step;
    this.#outlet = outlet;
    this.#ended = ended;
  }

  /** Whether something that is sent reaches the core. */
  get isOpen() {
    return this.#isOpen && this.#last === undefined;
  }

  /** Whether a message would leave at once. */
  get hasRoom() {
    return this.#isOpen && this.#waiting.length === 0 && this.#credit > 0;
  }

  /**
   * Sends a message: text as a string. Bytes must not be changed afterwards. Returns whether it left. Throws MessageTooLarge.
   *
   * @param {string | Uint8Array} message
   */
  send(message) {
    if (!this.isOpen) return false;
    this.#check(message);
    if (this.hasRoom && this.#mayLeave(message)) {
      this.#send(message);
      return true;
    }
    this.#waiting.add(message);
    this.waitingBytes += message.length;
    this.#sendWaiting();
    return false;
  }

  /** Ends it behind what was sent. @param {number | undefined} code @param {string} [reason] */
  close(code, reason = "") {
    if (!this.isOpen) return;
    this.#last = closeJson(this.#id, code, reason);
    this.#sendWaiting();
  }

  /** Ends it at once with another final frame. @param {string} json */
  finish(json) {
    if (!this.#isOpen) return;
    this.#end(json);
  }

  /** The application is done with a message of so many bytes. @param {number} bytes */
  taken(bytes) {
    if (!this.isOpen) return;
    this.#ungranted += bytes + MESSAGE_COST_BYTES;
    if (this.#ungranted < this.#step) return;
    this.#outlet.send(creditJson(this.#id, this.#ungranted), NOTHING);
    this.#ungranted = 0;
  }

  /** Called by the connection. @param {Buffer} body @param {boolean} text */
  messageCame(body, text) {
    if (this.#isOpen) this.onMessage(text ? body.toString() : body);
  }

  /** Called by the connection: the client is gone, or the core had to end it. @param {number} code @param {string} reason */
  closeCame(code, reason) {
    if (!this.#isOpen) return;
    this.#end(closeJson(this.#id, undefined, ""));
    this.onClose(code, reason);
  }

  /** Called by the connection: the core is gone. */
  coreIsGone() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onClose(ABNORMAL, "");
  }

  /** Called by the connection. @param {number} bytes */
  grant(bytes) {
    const hadRoom = this.hasRoom;
    this.#credit = Math.min(this.#credit + bytes, Number.MAX_SAFE_INTEGER);
    this.#sendWaiting();
    if (!hadRoom && this.hasRoom) this.onRoom();
  }

  /** Called once for each `awaitTurn`. Sends a message, and returns whether there was one. */
  takeTurn() {
    this.#awaitsTurn = false;
    if (this.#waiting.length === 0 || this.#credit <= 0) return false;
    this.#sendFirst();
    this.#sendWaiting();
    if (this.hasRoom) this.onRoom();
    return true;
  }

  /** @param {string | Uint8Array} message */
  #mayLeave(message) {
    return message.length <= SMALL_BYTES || this.#outlet.takesPieces;
  }

  #sendFirst() {
    const message = /** @type {string | Uint8Array} */ (this.#waiting.take());
    this.waitingBytes -= message.length;
    this.#send(message);
  }

  #sendWaiting() {
    while (this.#waiting.length > 0 && this.#credit > 0 && !this.#awaitsTurn) {
      if (this.#mayLeave(/** @type {string | Uint8Array} */ (this.#waiting.first))) {
        this.#sendFirst();
      } else {
        this.#awaitsTurn = true;
        this.#outlet.awaitTurn(this);
      }
    }
    if (this.#waiting.length === 0 && this.#last !== undefined && this.#isOpen) this.#end(this.#last);
  }

  /** @param {string | Uint8Array} message */
  #check(message) {
    if (message.length * MOST_BYTES_PER_UNIT <= this.#mostBytes) return;
    const bytes = typeof message === "string" ? Buffer.byteLength(message) : message.length;
    if (bytes > this.#mostBytes) {
      throw new MessageTooLarge(
        `the message has ${bytes} bytes; the core takes ${this.#mostBytes} at most (its --max-response)`,
      );
    }
  }

  /** @param {string | Uint8Array} message */
  #send(message) {
    const text = typeof message === "string";
    this.#credit -= (text ? Buffer.byteLength(message) : message.length) + MESSAGE_COST_BYTES;
    this.#outlet.send(messageJson(this.#id, text), message);
  }

  /** @param {string} json */
  #end(json) {
    this.#isOpen = false;
    this.#waiting.clear();
    this.waitingBytes = 0;
    this.#outlet.send(json, NOTHING);
    this.#ended();
  }
}
