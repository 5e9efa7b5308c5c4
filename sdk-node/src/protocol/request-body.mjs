import { Queue } from "./queue.mjs";

/** A larger body comes in pieces. */
export const MOST_WHOLE_BYTES = 1024 * 1024;
/** What a request holds of its body at most, besides one piece, until the application takes it. */
export const CREDIT_BYTES = 256 * 1024;
/** Credit is granted for so much at once. */
const STEP_BYTES = CREDIT_BYTES / 2;
/** When so many pieces wait, small ones are joined: a client may send a byte at a time, and each buffer takes a hundred more. */
const MOST_APART = 64;
/** They are joined up to here. */
const JOINED_BYTES = 4096;

const NOTHING = Buffer.alloc(0);

/** What is read of a body whose request was answered before all of it had come. */
export class BodyCutOff extends Error {
  code = "ECONNRESET";
}

/**
 * The body of a request that comes in pieces (PROTOCOL.md, `Requests in pieces`): those that have come, and that the application has
 * not taken. What it takes is granted as credit.
 */
export class RequestBody {
  #grant;
  /** @type {Queue<Buffer>} */
  #pieces = new Queue();
  /** What small pieces that wait are joined in; empty where the last one has no room for more. */
  #joined = NOTHING;
  #joinedBytes = 0;
  #takenBytes = 0;
  #isWhole = false;
  /** @type {Error | undefined} */
  #cutOff;
  /** @type {(() => void) | undefined} */
  #onMore;

  /** @param {Buffer} first piece @param {(bytes: number) => void} grant tells the core that so much more may come */
  constructor(first, grant) {
    this.#grant = grant;
    if (first.length > 0) this.#pieces.add(first);
  }

  /** A body that is there. @param {Buffer} content */
  static whole(content) {
    const body = new RequestBody(content, () => {});
    body.#isWhole = true;
    return body;
  }

  /** Whether all pieces have come. */
  get isWhole() {
    return this.#isWhole;
  }

  /** Whether all was taken. */
  get isAtEnd() {
    return this.#isWhole && this.#isEmpty;
  }

  get #isEmpty() {
    return this.#pieces.length === 0 && this.#joinedBytes === 0;
  }

  /** Why nothing more can be taken; undefined where it can. */
  get error() {
    return this.#cutOff;
  }

  /** Takes a piece from the core. @param {Buffer} piece @param {boolean} more whether another one follows */
  add(piece, more) {
    if (this.#cutOff) return;
    if (piece.length > 0) this.#keep(piece);
    this.#isWhole = !more;
    if (piece.length > 0 || this.#isWhole) this.#wake();
  }

  /** The next piece; undefined where there is none now, or no more. */
  take() {
    const piece = this.#pieces.take() ?? this.#takeJoined();
    if (piece === undefined || this.#isWhole) return piece;
    this.#takenBytes += piece.length;
    if (this.#takenBytes >= STEP_BYTES) {
      this.#grant(this.#takenBytes);
      this.#takenBytes = 0;
    }
    return piece;
  }

  /** Calls back once, in a later tick, when there is more to take, when nothing more comes, and when it is cut off. @param {() => void} onMore */
  whenMore(onMore) {
    this.#onMore = onMore;
  }

  /** The next piece, which it waits for; undefined at the end. Rejected where the body is cut off. */
  async next() {
    for (;;) {
      if (this.#cutOff) throw this.#cutOff;
      const piece = this.take();
      if (piece !== undefined || this.isAtEnd) return piece;
      await new Promise((resolve) => this.whenMore(() => resolve(undefined)));
    }
  }

  /** All pieces that were not taken, joined. Rejected where the body is cut off. */
  async rest() {
    /** @type {Buffer[]} */
    const pieces = [];
    for (let piece = await this.next(); piece !== undefined; piece = await this.next()) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Drops what was not taken and all that still comes. A body that is whole stays. @param {Error} error for who wants more of it */
  cutOff(error) {
    if (this.#isWhole || this.#cutOff) return;
    this.#cutOff = error;
    this.#pieces.clear();
    this.#takeJoined();
    this.#wake();
  }

  /** @param {Buffer} piece */
  #keep(piece) {
    if (piece.length > JOINED_BYTES - this.#joinedBytes) {
      const joined = this.#takeJoined();
      if (joined !== undefined) this.#pieces.add(joined);
    }
    if (this.#pieces.length < MOST_APART || piece.length > JOINED_BYTES) {
      this.#pieces.add(piece);
      return;
    }
    if (this.#joinedBytes === 0) this.#joined = Buffer.allocUnsafeSlow(JOINED_BYTES);
    this.#joinedBytes += piece.copy(this.#joined, this.#joinedBytes);
  }

  /** Takes what was joined behind all other pieces; undefined where nothing was. */
  #takeJoined() {
    if (this.#joinedBytes === 0) return undefined;
    const joined = this.#joined.subarray(0, this.#joinedBytes);
    this.#joined = NOTHING;
    this.#joinedBytes = 0;
    return joined;
  }

  /** What a listener throws must not reach the reader of the socket. */
  #wake() {
    if (this.#onMore === undefined) return;
    process.nextTick(this.#onMore);
    this.#onMore = undefined;
  }
}
