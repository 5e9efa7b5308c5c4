/** A frame that breaks the protocol. Where the next one begins is unknown, so the connection has to end. */
export class BrokenFrame extends Error {}

const LENGTHS_BYTES = 8;
const FIRST_HELD_BYTES = 1024;
const NOTHING = Buffer.alloc(0);

/**
 * Finds frames in what a socket reads. A frame that lies whole in a read is taken in place. Where a frame is cut, its head is held
 * until it is complete, and its body goes straight into a buffer of its size. The bytes that were read may be overwritten as soon
 * as `read` returns, since bodies are copies.
 */
export class FrameReader {
  /** The limits until `welcome` names those of the connection. */
  limits = { jsonBytes: 64 * 1024, bodyBytes: 0 };
  #take;
  /** The beginning of a head that is not complete. */
  #held = Buffer.allocUnsafeSlow(FIRST_HELD_BYTES);
  #heldBytes = 0;
  #json = "";
  #body = NOTHING;
  /** How many bytes of the body have come; -1 while a head is awaited. */
  #bodyBytes = -1;

  /** @param {(json: string, body: Buffer) => void} take called with each frame, in order */
  constructor(take) {
    this.#take = take;
  }

  /**
   * Takes the frames in some bytes, and keeps the beginning of the next one. Throws BrokenFrame.
   *
   * @param {Buffer} bytes
   * @param {number} end how many of them were read
   */
  read(bytes, end) {
    let at = 0;
    while (at < end) {
      if (this.#bodyBytes >= 0) at = this.#readBody(bytes, at, end);
      else if (this.#heldBytes > 0) at = this.#readHeldHead(bytes, at, end);
      else at = this.#readHead(bytes, at, end);
    }
  }

  /** @param {Buffer} bytes @param {number} at @param {number} end */
  #readHead(bytes, at, end) {
    if (end - at < LENGTHS_BYTES) return this.#hold(bytes, at, end);
    const jsonBytes = this.#jsonBytes(bytes, at);
    const bodyBytes = this.#bodyLength(bytes, at);
    const jsonAt = at + LENGTHS_BYTES;
    const jsonEnd = jsonAt + jsonBytes;
    if (jsonEnd > end) return this.#hold(bytes, at, end);
    this.#awaitBody(bytes.toString("utf8", jsonAt, jsonEnd), bodyBytes);
    return jsonEnd;
  }

  /** @param {Buffer} bytes @param {number} at @param {number} end */
  #readHeldHead(bytes, at, end) {
    if (this.#heldBytes < LENGTHS_BYTES) {
      const lengthsEnd = Math.min(end, at + LENGTHS_BYTES - this.#heldBytes);
      this.#hold(bytes, at, lengthsEnd);
      if (this.#heldBytes < LENGTHS_BYTES) return lengthsEnd;
      at = lengthsEnd; // lengths past a limit are refused at once, whether or not more was read
    }
    const headBytes = LENGTHS_BYTES + this.#jsonBytes(this.#held, 0);
    const bodyBytes = this.#bodyLength(this.#held, 0);
    const stop = Math.min(end, at + headBytes - this.#heldBytes);
    this.#hold(bytes, at, stop);
    if (this.#heldBytes === headBytes) {
      this.#heldBytes = 0;
      this.#awaitBody(this.#held.toString("utf8", LENGTHS_BYTES, headBytes), bodyBytes);
    }
    return stop;
  }

  /** @param {Buffer} bytes @param {number} at @param {number} end */
  #hold(bytes, at, end) {
    const needed = this.#heldBytes + end - at;
    if (needed > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#held.copy(larger, 0, 0, this.#heldBytes);
      this.#held = larger;
    }
    bytes.copy(this.#held, this.#heldBytes, at, end);
    this.#heldBytes = needed;
    return end;
  }

  /** @param {Buffer} bytes @param {number} at */
  #jsonBytes(bytes, at) {
    const jsonBytes = bytes.readUInt32BE(at);
    if (jsonBytes < 2) throw new BrokenFrame(`a frame's JSON has ${jsonBytes} bytes, which are too few for an object`);
    if (jsonBytes > this.limits.jsonBytes) {
      throw new BrokenFrame(`a frame's JSON has ${jsonBytes} bytes, more than the ${this.limits.jsonBytes} agreed`);
    }
    return jsonBytes;
  }

  /** @param {Buffer} bytes @param {number} at */
  #bodyLength(bytes, at) {
    const bodyBytes = bytes.readUInt32BE(at + 4);
    if (bodyBytes > this.limits.bodyBytes) {
      throw new BrokenFrame(`a frame's body has ${bodyBytes} bytes, more than the ${this.limits.bodyBytes} agreed`);
    }
    return bodyBytes;
  }

  /** @param {string} json @param {number} bodyBytes */
  #awaitBody(json, bodyBytes) {
    if (bodyBytes === 0) {
      this.#take(json, NOTHING);
      return;
    }
    this.#json = json;
    this.#body = Buffer.allocUnsafe(bodyBytes);
    this.#bodyBytes = 0;
  }

  /** @param {Buffer} bytes @param {number} at @param {number} end */
  #readBody(bytes, at, end) {
    const stop = Math.min(end, at + this.#body.length - this.#bodyBytes);
    this.#bodyBytes += bytes.copy(this.#body, this.#bodyBytes, at, stop);
    if (this.#bodyBytes === this.#body.length) {
      const body = this.#body;
      this.#body = NOTHING;
      this.#bodyBytes = -1;
      this.#take(this.#json, body);
    }
    return stop;
  }
}
