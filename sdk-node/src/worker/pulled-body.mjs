import { PlainRequest } from "../protocol/plain-request.mjs";

/** @typedef {import("./connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/response-stream.mjs").ResponseStream} ResponseStream */

/**
 * Where the parts of a body come from, which is asked for the next one when there is room for it.
 *
 * @typedef {object} Source
 * @property {() => any} next gives `{ done, value }`, or a promise of it
 * @property {(reason: unknown) => void} cancel called once at most, when nobody wants the rest; never throws
 *
 * @typedef {{ status: number, reason: string | undefined, headers: string }} Head its headers are JSON
 */

/**
 * A response whose body is asked for its parts. It leaves whole where it has ended within the turn, in pieces otherwise. Where the
 * core takes none it is gathered.
 */
export class PulledBody {
  #request;
  #connection;
  #head;
  #source;
  #bytesOf;
  /** @type {Uint8Array[]} */
  #gathered = [];
  #gatheredBytes = 0;
  /** @type {ResponseStream | undefined} */
  #stream;
  #isOver = false;

  /**
   * @param {PlainRequest} request one that has begun
   * @param {Head} head
   * @param {Source} source
   * @param {(part: unknown) => Uint8Array} bytesOf throws for what is no part of a body
   * @param {Connection} connection
   */
  constructor(request, head, source, bytesOf, connection) {
    this.#request = request;
    this.#head = head;
    this.#source = source;
    this.#bytesOf = bytesOf;
    this.#connection = connection;
    PlainRequest.onCancel(request, (reason) => this.#cancelled(reason));
    connection.atTurnEnd(this);
  }

  /** Sends the response. The promise is never rejected: an error of the source fails the request. */
  async send() {
    const reason = PlainRequest.reasonOfCancel(this.#request);
    if (reason !== undefined) this.#cancelled(reason);
    try {
      while (!this.#isOver) {
        const { done, value } = await this.#source.next();
        if (done || this.#isOver) break;
        this.#take(this.#bytesOf(value));
        if (this.#stream) await this.#room(this.#stream);
      }
      this.#end();
    } catch (error) {
      this.#fail(error);
    }
  }

  turnEnds() {
    if (!this.#isOver && !this.#stream && this.#connection.mayStream(this.#head.headers)) this.#begin();
  }

  /** Gathers a part, unless it follows as much as may leave at once: a body may go on for ever in one turn. @param {Uint8Array} part */
  #take(part) {
    const { bodyBytes, streamBytes } = this.#connection.limits;
    if (this.#gatheredBytes > 0 && this.#gatheredBytes >= streamBytes) this.turnEnds();
    if (this.#stream) {
      this.#stream.write(part);
      return;
    }
    this.#gathered.push(part);
    this.#gatheredBytes += part.length;
    if (this.#gatheredBytes > bodyBytes) this.turnEnds();
    if (!this.#isOver && !this.#stream && this.#gatheredBytes > bodyBytes) {
      throw new RangeError(`the body has more than the ${bodyBytes} bytes that the core takes (its --max-response)`);
    }
  }

  #begin() {
    this.#request = PlainRequest.withoutBody(this.#request);
    const { status, reason, headers } = this.#head;
    this.#stream = this.#connection.stream(this.#request, status, reason, headers, this.#content());
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (!this.#stream) this.#stop(new Error("the response could not begin"));
  }

  #end() {
    if (this.#isOver) {
      this.#connection.settle(this.#request); // a cancelled one no longer counts
      return;
    }
    this.#isOver = true;
    if (this.#stream) this.#stream.end();
    else if (this.#connection.settle(this.#request)) {
      const { status, reason, headers } = this.#head;
      this.#connection.answer(this.#request, status, reason, headers, this.#content());
    }
  }

  /** @param {unknown} error */
  #fail(error) {
    const isWaitedFor = this.#connection.settle(this.#request);
    if (this.#isOver) return; // the source was cancelled, and says so
    this.#stop(error);
    if (isWaitedFor) this.#connection.fail(this.#request, error);
  }

  /** @param {string} reason */
  #cancelled(reason) {
    this.#stop(PlainRequest.cancellation(reason));
    return undefined;
  }

  /** Lets go of the source. @param {unknown} reason */
  #stop(reason) {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#gathered = [];
    this.#source.cancel(reason);
  }

  /** Waits until there is room. @param {ResponseStream} stream */
  async #room(stream) {
    while (stream.isOpen && !stream.hasRoom) {
      await new Promise((resolve) => {
        stream.onRoom = () => resolve(undefined);
        stream.awaitRoom();
      });
    }
    if (!stream.isOpen) this.#stop(new Error("the response was broken off"));
  }

  #content() {
    return this.#gathered.length === 1 ? this.#gathered[0] : Buffer.concat(this.#gathered);
  }
}
