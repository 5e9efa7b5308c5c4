import { Queue } from "./queue.mjs";
import { closeJson, creditJson, messageJson } from "./response-json.mjs";
import { MOST_PIECE_BYTES } from "./response-stream.mjs";

/** What a message costs of the credit besides its bytes (PROTOCOL.md, `WebSockets`). */
const MESSAGE_COST_BYTES = 64;
/**
 * Messages of up to so many bytes take no turns, unless so many of them are unsent that they hold up others. Larger ones leave in
 * fragments of so many.
 */
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
 * @property {boolean} takesPieces whether more than a small message may leave now, else it takes a turn
 * @property {boolean} takesSmallMessages whether a small message may leave now, else it takes a turn
 * @property {boolean} takesFragments whether the core takes messages in fragments
 * @property {(link: WebSocketLink, isLarge: boolean) => void} awaitTurn calls `takeTurn` once, after those that wait already
 */

/**
 * One WebSocket as the protocol has it: whole messages both ways. It keeps what is sent without credit, in order: who looks at
 * `hasRoom` is who keeps its memory small.
 *
 * A large message leaves in fragments, as credit and turns allow. So the pieces of responses and the messages of others need not
 * wait behind it, and a client that takes nothing has no more of it than its credit.
 */
export class WebSocketLink {
  /** What was sent and waits for credit, or for its turn. */
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
  /** How much of the first of them has left, and how much of it a fragment has: in bytes, or in units of a text. */
  #left = 0;
  #fragment = 0;
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
    if (message.length <= SMALL_BYTES && this.hasRoom && this.#outlet.takesSmallMessages) {
      this.#send(message, false);
      return true;
    }
    this.#waiting.add(message);
    this.waitingBytes += message.length;
    this.#sendWaiting();
    return this.#waiting.length === 0;
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

  /** Called once for each `awaitTurn`. Sends a message or a part of one, and returns whether there was one. */
  takeTurn() {
    this.#awaitsTurn = false;
    if (this.#waiting.length === 0 || this.#credit <= 0) return false;
    this.#sendFirst();
    this.#sendWaiting();
    if (this.hasRoom) this.onRoom();
    return true;
  }

  /** The message that waits longest. */
  get #first() {
    return /** @type {string | Uint8Array} */ (this.#waiting.first);
  }

  #sendFirst() {
    const message = this.#first;
    if (message.length > SMALL_BYTES && this.#outlet.takesFragments) this.#sendFragments(message);
    else this.#sendPart(message, message.length);
  }

  /** Sends as much of a message as a turn may have. @param {string | Uint8Array} message */
  #sendFragments(message) {
    if (this.#left === 0)
      this.#fragment = isWide(message) ? Math.floor(SMALL_BYTES / MOST_BYTES_PER_UNIT) : SMALL_BYTES;
    const most = Math.min(message.length, this.#left + MOST_PIECE_BYTES);
    let end = this.#left;
    while (end < most && this.#credit > 0) {
      end = Math.min(end + this.#fragment, message.length);
      if (endsInPair(message, end)) end--;
      this.#sendPart(message, end);
    }
  }

  /** Sends another part of the first message. @param {string | Uint8Array} message @param {number} end of that part */
  #sendPart(message, end) {
    const isLast = end === message.length;
    const isWhole = isLast && this.#left === 0;
    const from = this.#left;
    this.waitingBytes -= end - from;
    this.#left = isLast ? 0 : end;
    if (isLast) this.#waiting.take();
    if (isWhole) this.#send(message, false);
    else this.#send(typeof message === "string" ? message.slice(from, end) : message.subarray(from, end), !isLast);
  }

  #sendWaiting() {
    while (this.#waiting.length > 0 && this.#credit > 0 && !this.#awaitsTurn) {
      const isSmall = this.#first.length <= SMALL_BYTES;
      if (isSmall ? this.#outlet.takesSmallMessages : this.#outlet.takesPieces) {
        this.#sendFirst();
      } else {
        this.#awaitsTurn = true;
        this.#outlet.awaitTurn(this, this.#first.length - this.#left > MOST_PIECE_BYTES);
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

  /** @param {string | Uint8Array} part of a message, or all of it @param {boolean} more whether more of it follows */
  #send(part, more) {
    const text = typeof part === "string";
    this.#credit -= (text ? Buffer.byteLength(part) : part.length) + MESSAGE_COST_BYTES;
    this.#outlet.send(messageJson(this.#id, text, more), part);
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

/** Whether a message is a text of which some units have more than one byte. @param {string | Uint8Array} message */
function isWide(message) {
  return typeof message === "string" && Buffer.byteLength(message) > message.length;
}

/** Whether a text would be cut there between the two units of a character. @param {string | Uint8Array} message @param {number} end */
function endsInPair(message, end) {
  return typeof message === "string" && end < message.length && /^[\ud800-\udbff]$/.test(message[end - 1]);
}
