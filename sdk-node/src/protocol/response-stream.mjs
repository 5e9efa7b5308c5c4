import { Queue } from "./queue.mjs";
import { dataJson } from "./response-json.mjs";

/** A larger piece would hold up the responses of others on the same socket. */
export const MOST_PIECE_BYTES = 64 * 1024;
const NOTHING = new Uint8Array(0);

/** @typedef {import("./plain-request.mjs").PlainRequest} PlainRequest */

/**
 * The way to the core, as far as a response in pieces uses it.
 *
 * @typedef {object} Outlet
 * @property {(json: string, body: Uint8Array) => void} send sends a frame with others of this turn
 * @property {boolean} takesPieces whether a piece may leave now, else it takes a turn; heads and ends wait for nothing
 * @property {(stream: ResponseStream) => void} awaitTurn calls `takeTurn` once, after those that wait already
 * @property {(callback: (error?: Error) => void) => void} afterFlush calls back when the frames so far have left
 */

/**
 * The pieces behind the head of one response (PROTOCOL.md, `Responses in pieces`). They leave while there is credit, and wait in
 * order while there is none. Small ones that waited leave together. Where the core does not take all at once, each response sends a
 * piece a turn. It keeps all that is written: who looks at `hasRoom` is who keeps its memory small.
 */
export class ResponseStream {
  /** Whose response it is. */
  request;
  /** What was written and waits for credit. */
  waitingBytes = 0;
  /** Called when there is room again, after a `write` that left none and `awaitRoom`, and when the stream is closed. */
  onRoom = () => {};
  #outlet;
  #credit;
  #mostPieceBytes;
  #closed;
  #isOpen = true;
  #hasEnded = false;
  #lacksRoom = false;
  #awaitsTurn = false;
  #hasTurn = false;
  /** Pieces, and those to call when all pieces before them have left. @type {Queue<Uint8Array | ((error?: Error) => void)>} */
  #waiting = new Queue();

  /**
   * @param {PlainRequest} request
   * @param {{ bodyBytes: number, streamBytes: number }} limits of a piece, and the credit to begin with
   * @param {Outlet} outlet
   * @param {() => void} closed called once, when no more of it follows
   */
  constructor(request, { bodyBytes, streamBytes }, outlet, closed) {
    this.request = request;
    this.#credit = streamBytes;
    this.#mostPieceBytes = Math.max(1, Math.min(MOST_PIECE_BYTES, bodyBytes));
    this.#outlet = outlet;
    this.#closed = closed;
  }

  /** Whether something that is written reaches the core. */
  get isOpen() {
    return this.#isOpen;
  }

  /** Whether a piece would leave at once. */
  get hasRoom() {
    return this.#isOpen && this.#waiting.length === 0 && this.#mayLeave;
  }

  get #mayLeave() {
    return this.#credit > 0 && (this.#hasTurn || this.#outlet.takesPieces);
  }

  /** Sends the head, with as much of the content as may come with it. @param {string} json @param {Uint8Array} content */
  begin(json, content) {
    const first = this.#credit > 0 ? content.subarray(0, this.#mostPieceBytes) : NOTHING;
    this.#outlet.send(json, first);
    this.#credit -= first.length;
    this.write(content.subarray(first.length));
  }

  /** Adds content, and returns whether there is room for more. @param {Uint8Array} content must not be changed afterwards */
  write(content) {
    if (!this.#isOpen) return false;
    for (let at = 0; at < content.length; at += this.#mostPieceBytes) {
      const piece = content.subarray(at, at + this.#mostPieceBytes);
      if (this.hasRoom) this.#send(piece);
      else this.#wait(piece);
    }
    this.#lacksRoom = !this.hasRoom;
    this.#awaitTurn();
    return !this.#lacksRoom;
  }

  /** Calls back when all that was written has left, or with an error when it does not any more. @param {(error?: Error) => void} callback */
  afterWritten(callback) {
    if (this.#waiting.length > 0) this.#waiting.add(callback);
    else this.#outlet.afterFlush(callback);
  }

  /** Ends the response behind all that was written. */
  end() {
    this.#hasEnded = true;
    this.#sendWaiting();
    this.#awaitTurn();
  }

  /** Takes credit for so many bytes. @param {number} bytes */
  grant(bytes) {
    this.#credit = Math.min(this.#credit + bytes, Number.MAX_SAFE_INTEGER);
    this.#goOn();
  }

  /** Has `onRoom` called when there is room, which may be at once. */
  awaitRoom() {
    this.#lacksRoom = true;
    this.#goOn();
  }

  /** Lets one piece leave, whatever the outlet takes. Returns whether the stream is still open. */
  takeTurn() {
    this.#awaitsTurn = false;
    this.#hasTurn = this.#isOpen;
    this.#goOn();
    return this.#isOpen;
  }

  /** Ends the response at once, as nobody wants the rest of it. */
  cancel() {
    this.#outlet.send(dataJson(this.request.id, false), NOTHING);
    this.close();
  }

  /** Drops what waits. The final frame is left to the caller. */
  close() {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const waiting = this.#waiting.clear();
    this.waitingBytes = 0;
    this.#closed();
    for (const each of waiting) {
      if (typeof each === "function") process.nextTick(each, new Error("the response was broken off"));
    }
    this.onRoom();
  }

  #goOn() {
    this.#sendWaiting();
    if (this.#lacksRoom && this.hasRoom) {
      this.#lacksRoom = false;
      this.#hasTurn = true; // what others send meanwhile does not take this room away
      this.onRoom();
    }
    this.#awaitTurn();
  }

  /** Takes part in the turns, where nothing else is missing for more to leave. */
  #awaitTurn() {
    const isHeldUp = this.#waiting.length > 0 || this.#lacksRoom;
    if (!isHeldUp || !this.#isOpen || this.#credit <= 0 || this.#awaitsTurn || this.#hasTurn) return;
    this.#awaitsTurn = true;
    this.#outlet.awaitTurn(this);
  }

  #sendWaiting() {
    while (this.#isOpen && this.#waiting.length > 0) {
      if (!this.#mayLeave) return;
      this.#sendFirst();
    }
    if (!this.#isOpen || !this.#hasEnded) return;
    this.#outlet.send(dataJson(this.request.id, false), NOTHING);
    this.close();
  }

  /** Sends what waited longest: as much as a piece may have. */
  #sendFirst() {
    /** @type {Uint8Array[]} */
    const parts = [];
    /** @type {((error?: Error) => void)[]} */
    const written = [];
    let bytes = 0;
    for (let next = this.#waiting.first; next !== undefined; next = this.#waiting.first) {
      if (typeof next === "function") written.push(next);
      else if (bytes + next.length > this.#mostPieceBytes) break;
      else {
        parts.push(next);
        bytes += next.length;
      }
      this.#waiting.take();
    }
    this.waitingBytes -= bytes;
    if (bytes > 0) this.#send(parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes));
    for (const callback of written) this.#outlet.afterFlush(callback);
  }

  /** @param {Uint8Array} piece */
  #send(piece) {
    this.#credit -= piece.length;
    this.#hasTurn = false;
    this.#outlet.send(dataJson(this.request.id, true), piece);
  }

  /** @param {Uint8Array} piece */
  #wait(piece) {
    this.#waiting.add(piece);
    this.waitingBytes += piece.length;
  }
}
