import net from "node:net";
import { FrameReader } from "./frame-reader.mjs";
import { FrameWriter } from "./frame-writer.mjs";

const READ_BYTES = 64 * 1024;
/** How long a response waits at most for others of the same turn. */
const LONGEST_TURN_MILLIS = 2;

/** @typedef {{ jsonBytes: number, bodyBytes: number, streamBytes: number }} Limits */
/** @typedef {{ turnEnds: () => void }} Unfinished what waits for the end of a turn */

/**
 * Frames over one socket, with one read and one write for all that happens in a turn of the event loop. Responses that are made
 * while a read is parsed leave behind it, all others at the end of the turn. A turn that takes longer than 2 ms is not waited for.
 */
export class Channel {
  #reader;
  #writer = new FrameWriter((chunks, written) => this.#write(chunks, written));
  #socket;
  #reading = false;
  /** How often it has read. What was due before a read is done when the next one begins. */
  turn = 0;
  #turnBegan = 0;
  #flushIsDue = false;
  /** @type {(() => void)[]} */
  #flushed = [];
  /** @type {Unfinished[]} */
  #unfinished = [];

  /**
   * @param {string} path of the core's socket
   * @param {(json: string, body: Buffer) => void} take called with each frame
   * @param {(error?: Error) => void} ended called once; without an error when the core ended the connection
   */
  constructor(path, take, ended) {
    this.#reader = new FrameReader(take);
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const onread = { buffer, callback: (/** @type {number} */ length) => this.#read(buffer, length) };
    this.#socket = net.connect({ path, onread });
    /** @type {Error | undefined} */
    let failed;
    this.#socket.on("error", (error) => {
      failed = error;
    });
    this.#socket.on("close", () => ended(failed));
  }

  /** The largest frames that both sides take, in bytes. */
  get limits() {
    return this.#writer.limits;
  }

  /** @param {Limits} limits as `welcome` says */
  set limits(limits) {
    this.#reader.limits = limits;
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

  /** Calls back at the end of this turn, when all that was due in it is done, and before its frames leave. @param {Unfinished} unfinished */
  atTurnEnd(unfinished) {
    this.#unfinished.push(unfinished);
    this.#flushSoon();
  }

  /** Calls back when all frames so far have been written to the socket. @param {() => void} flushed */
  afterFlush(flushed) {
    this.#flushed.push(flushed);
    this.#flushSoon();
  }

  /** Ends the connection behind all frames so far. */
  end() {
    this.#flush();
    this.#socket.end();
  }

  /** Ends the connection at once. @param {Error} error */
  destroy(error) {
    this.#socket.destroy(error);
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

  #flushWhenDue() {
    const now = performance.now();
    if (now - this.#turnBegan < LONGEST_TURN_MILLIS) return;
    this.#turnBegan = now;
    this.#flush();
  }

  #flushSoon() {
    if (this.#flushIsDue) return;
    this.#flushIsDue = true;
    setImmediate(() => {
      if (this.#unfinished.length > 0) this.#endTurn();
      this.#flushIsDue = false;
      this.#flush();
    });
  }

  #endTurn() {
    const unfinished = this.#unfinished;
    this.#unfinished = [];
    for (const each of unfinished) each.turnEnds();
  }

  #flush() {
    this.#writer.flush();
    if (this.#flushed.length === 0 || this.#reading) return;
    const flushed = this.#flushed;
    this.#flushed = [];
    for (const callback of flushed) callback();
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
