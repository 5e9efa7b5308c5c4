import { AsyncResource } from "node:async_hooks";
import net from "node:net";
import { callApart, throwLater } from "./call-apart.mjs";
import { BrokenFrame, FrameReader } from "./frame-reader.mjs";
import { FrameWriter } from "./frame-writer.mjs";
import { HeldResponses, LARGE_BYTES } from "./held-responses.mjs";
import { PieceTurns } from "./piece-turns.mjs";

/** As many as a frame may have. What a request may have is the core's to say, which does not send more (`--max-body`). */
const MOST_BODY_BYTES = 2 ** 31 - 1;
const READ_BYTES = 64 * 1024;
/** How long a response waits at most for others of the same turn. */
const LONGEST_TURN_MILLIS = 2;
/** While the core has not taken so much, no more requests should begin: their responses would only fill the memory. */
const MOST_UNSENT_BYTES = 8 * 1024 * 1024;
/** While the core has not taken so much, pieces of responses that have begun take turns, and large messages of WebSockets. */
const MOST_PIECES_BYTES = 256 * 1024;

/** While the core has not taken so much, small messages take turns as well: far below where no more requests begin. */
const MOST_MESSAGES_BYTES = 1024 * 1024;

/** @typedef {{ jsonBytes: number, bodyBytes: number, streamBytes: number }} Limits */
/** @typedef {{ turnEnds: () => void }} Unfinished what waits for the end of a turn */

/**
 * Frames over one socket, with one read and one write for all that happens in a turn of the event loop. Responses that are made
 * while a read is parsed leave behind it, all others at the end of the turn. A turn that takes longer than 2 ms is not waited for.
 *
 * Large whole responses leave one by one, as the core takes them. Until then a cancel can take them back, and smaller frames pass
 * them. The pieces of responses that have begun, and large messages of WebSockets, take turns, so that the responses of others need
 * not wait behind them.
 *
 * A turn belongs to no request: it sees what was in an AsyncLocalStorage when the channel was made, and each frame that is read is
 * taken apart from the others. What a listener of the application throws is the process's, and costs nobody else their turn.
 */
export class Channel {
  #origin = new AsyncResource("HANDOFF_CONNECTION");
  /** Calls back in a later turn, in the context in which the channel was made, whichever request asks for it. @param {() => void} call */
  #later = (call) => this.#origin.runInAsyncScope(setImmediate, undefined, call);
  #take;
  #reader = new FrameReader((json, body) => this.#takeApart(json, body));
  #writer = new FrameWriter((chunks, written) => this.#write(chunks, written));
  #held = new HeldResponses();
  #turns = new PieceTurns(() => this.#unsentBytes < MOST_PIECES_BYTES, this.#later);
  #socket;
  #reading = false;
  /** Whether the core takes messages of WebSockets in fragments, as `welcome` says. */
  takesFragments = false;
  /** How often it has read. What was due before a read is done when the next one begins. */
  turn = 0;
  #turnBegan = 0;
  #flushIsDue = false;
  /** @type {(() => void)[]} */
  #flushed = [];
  /** @type {Unfinished[]} */
  #unfinished = [];
  /** Called once when fewer bytes are unsent. @type {(() => void) | undefined} */
  #onRoom;

  /**
   * @param {string} path of the core's socket
   * @param {(json: string, body: Buffer) => void} take called with each frame
   * @param {(error?: Error) => void} ended called once; without an error when the core ended the connection
   */
  constructor(path, take, ended) {
    this.#take = take;
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const onread = { buffer, callback: (/** @type {number} */ length) => this.#read(buffer, length) };
    this.#socket = net.connect({ path, onread });
    /** @type {Error | undefined} */
    let failed;
    this.#socket.on("error", (error) => {
      failed = error;
    });
    this.#socket.on("drain", () => this.#taken());
    this.#socket.on("close", () => {
      this.#held.clear();
      this.#origin.runInAsyncScope(ended, undefined, failed);
    });
  }

  /** The largest frames that the core takes, in bytes. */
  get limits() {
    return this.#writer.limits;
  }

  /** @param {Limits} limits as `welcome` says */
  set limits(limits) {
    this.#reader.limits = { jsonBytes: limits.jsonBytes, bodyBytes: MOST_BODY_BYTES };
    this.#writer.limits = limits;
  }

  /**
   * Sends a frame with others of this turn. Throws FrameTooLarge for one beyond the limits.
   *
   * @param {string} json
   * @param {string | Uint8Array} [body] must not be changed afterwards
   */
  send(json, body = "") {
    this.#writer.add(json, body);
    if (this.#reading) this.#flushWhenDue();
    else this.#flushSoon();
  }

  /**
   * Sends a whole response, a large one when the core takes it. Throws FrameTooLarge for one beyond the limits.
   *
   * @param {number} id of the request
   * @param {string} json
   * @param {string | Uint8Array} body must not be changed afterwards
   */
  respond(id, json, body) {
    if (body.length <= LARGE_BYTES) {
      this.send(json, body);
      return;
    }
    const content = typeof body === "string" ? Buffer.from(body) : body;
    this.#writer.check(json, content);
    this.#held.add(id, json, content);
    if (this.#reading) this.#flushWhenDue();
    else this.#flushSoon();
  }

  /** Takes a whole response back that has not begun to leave. Returns whether it has taken one. @param {number} id of the request */
  takeBack(id) {
    if (!this.#held.takeBack(id)) return false;
    this.#tellOfRoom();
    return true;
  }

  /** Whether so much is unsent that no more requests should begin. */
  get isFull() {
    return this.#held.bytes + this.#unsentBytes > MOST_UNSENT_BYTES;
  }

  /** Whether a piece of a response that has begun may leave now. Otherwise `awaitTurn` tells when. */
  get takesPieces() {
    return this.#turns.isEmpty && this.#unsentBytes < MOST_PIECES_BYTES;
  }

  /** Whether a small message of a WebSocket may leave now. Otherwise `awaitTurn` tells when. */
  get takesSmallMessages() {
    return this.#unsentBytes < MOST_MESSAGES_BYTES;
  }

  /**
   * Gives a response or a WebSocket a turn, after those that wait already.
   *
   * @param {import("./piece-turns.mjs").TakesTurns} waiting
   * @param {boolean} [isLarge] whether it has to send more than a piece
   */
  awaitTurn(waiting, isLarge = false) {
    this.#turns.add(waiting, isLarge);
  }

  /** Calls back once, in a later turn, when the channel is no longer full. @param {() => void} onRoom */
  whenRoom(onRoom) {
    this.#onRoom = onRoom;
    this.#tellOfRoom();
  }

  /** Calls back at the end of this turn, when all that was due in it is done, and before its frames leave. @param {Unfinished} unfinished */
  atTurnEnd(unfinished) {
    this.#unfinished.push(unfinished);
    this.#flushSoon();
  }

  /** Calls back when all frames so far have been written to the socket, or wait for it to be empty. @param {() => void} flushed */
  afterFlush(flushed) {
    this.#flushed.push(flushed);
    this.#flushSoon();
  }

  /** Ends the connection at once. @param {Error} error */
  destroy(error) {
    this.#socket.destroy(error);
  }

  get #unsentBytes() {
    return this.#writer.bytes + this.#socket.writableLength;
  }

  /** @param {Buffer} buffer @param {number} length */
  #read(buffer, length) {
    this.#reading = true;
    this.turn++;
    this.#turnBegan = performance.now();
    try {
      this.#reader.read(buffer, length);
    } catch (error) {
      this.destroy(/** @type {Error} */ (error));
    }
    this.#reading = false;
    this.#flush();
    return true;
  }

  /** @param {string} json @param {Buffer} body */
  #takeApart(json, body) {
    try {
      new AsyncResource("HANDOFF_FRAME", this.#origin.asyncId()).runInAsyncScope(this.#take, undefined, json, body);
    } catch (error) {
      if (error instanceof BrokenFrame) throw error;
      throwLater(error);
    }
  }

  #flushWhenDue() {
    const now = performance.now();
    if (now - this.#turnBegan < LONGEST_TURN_MILLIS) return;
    this.#turnBegan = now;
    this.#flush();
  }

  #flushSoon() {
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    this.#later(() => {
      if (this.#unfinished.length > 0) this.#endTurn();
      this.#flushIsDue = false;
      this.#flush();
    });
  }

  #endTurn() {
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    for (const each of unfinished) callApart(() => each.turnEnds());
  }

  #flush() {
    this.#writer.flush();
    if (!this.#held.isEmpty) this.#sendHeld();
    if (!this.#turns.isEmpty) this.#turns.giveSoon();
    if (this.#flushed.length === 0 || this.#reading) return;
    const flushed = this.#flushed;
    this.#flushed = [];
    for (const callback of flushed) {
      try {
        callback();
      } catch (error) {
        throwLater(error);
      }
    }
  }

  /** Acts on a core that has taken all that was written. */
  #taken() {
    this.#sendHeld();
    this.#turns.giveSoon();
    this.#tellOfRoom();
  }

  /** Writes large responses while the core takes them. If it does not, the socket will say so by `drain`. */
  #sendHeld() {
    while (this.#socket.writableLength === 0 || !this.#socket.writableNeedDrain) {
      const frame = this.#held.takeOldest();
      if (frame === undefined) return;
      this.#writer.add(frame.json, frame.body);
      this.#writer.flush();
    }
  }

  #tellOfRoom() {
    if (this.#onRoom === undefined || this.isFull) return;
    this.#later(this.#onRoom);
    this.#onRoom = undefined;
  }

  /** @param {Uint8Array[]} chunks @param {() => void} written */
  #write(chunks, written) {
    const last = chunks.length - 1;
    if (last === 0) {
      this.#socket.write(chunks[0], written);
      return;
    }
    this.#socket.cork();
    for (let i = 0; i < last; i++) this.#socket.write(chunks[i]);
    this.#socket.write(chunks[last], written);
    this.#socket.uncork();
  }
}
