/** The largest frames that the core takes from this worker, as `welcome` says. @typedef {{ jsonBytes: number, bodyBytes: number, streamBytes: number }} Limits */

/** A frame that the core would refuse. Thrown before any byte of it is written. */
export class FrameTooLarge extends Error {}

const LENGTHS_BYTES = 8;
const BUFFER_BYTES = 64 * 1024;
/** The UTF-8 of one code unit of a string. */
const MOST_BYTES_PER_UNIT = 3;
/** Larger bodies are written without a copy. */
const COPIED_BODY_BYTES = 16 * 1024;
const KEPT_BUFFERS = 4;

/** Puts frames one behind the other into buffers, so that all frames of a turn leave in one write. */
export class FrameWriter {
  /** @type {Limits} */
  limits = { jsonBytes: 64 * 1024, bodyBytes: 0, streamBytes: 0 };
  #write;
  /** @type {Buffer} */
  #buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
  #begin = 0;
  #end = 0;
  /** @type {Uint8Array[]} The chunks before the bytes in the buffer. */
  #full = [];
  #fullBytes = 0;
  /** @type {Buffer[]} Buffers that the next flush writes, and that are free again when it has. */
  #used = [];
  /** @type {Buffer[]} */
  #free = [];

  /** @param {(chunks: Uint8Array[], written: () => void) => void} write `written` is called when the chunks may be overwritten */
  constructor(write) {
    this.#write = write;
  }

  get isEmpty() {
    return this.#end === this.#begin && this.#full.length === 0;
  }

  /** What was added and has not been given to `write`. */
  get bytes() {
    return this.#fullBytes + this.#end - this.#begin;
  }

  /** Throws FrameTooLarge where a frame that is added later would be beyond the limits. @param {string} json @param {Uint8Array} body */
  check(json, body) {
    this.#check(Buffer.byteLength(json), body.length);
  }

  /**
   * Adds a frame. Throws FrameTooLarge for one beyond the limits.
   *
   * @param {string} json
   * @param {string | Uint8Array} body must not be changed afterwards
   */
  add(json, body) {
    if (typeof body === "string") {
      if (body.length > COPIED_BODY_BYTES) this.#addBytes(json, Buffer.from(body));
      else this.#addString(json, body);
    } else {
      this.#addBytes(json, body);
    }
  }

  /** Gives all frames that were added to `write`. */
  flush() {
    if (this.isEmpty) return;
    this.#closeChunk();
    const chunks = this.#full;
    const used = this.#used;
    this.#full = [];
    this.#fullBytes = 0;
    this.#used = [];
    if (this.#begin > 0) {
      used.push(this.#buffer);
      this.#nextBuffer(BUFFER_BYTES);
    }
    this.#write(chunks, () => {
      for (const buffer of used) {
        if (this.#free.length < KEPT_BUFFERS && buffer.length === BUFFER_BYTES) this.#free.push(buffer);
      }
    });
  }

  /** @param {string} json @param {string} body */
  #addString(json, body) {
    this.#reserve(LENGTHS_BYTES + MOST_BYTES_PER_UNIT * (json.length + body.length));
    const at = this.#end;
    const jsonBytes = this.#buffer.write(json, at + LENGTHS_BYTES);
    const bodyAt = at + LENGTHS_BYTES + jsonBytes;
    const bodyBytes = body === "" ? 0 : this.#buffer.write(body, bodyAt);
    this.#check(jsonBytes, bodyBytes);
    this.#writeLengths(at, jsonBytes, bodyBytes);
    this.#end = bodyAt + bodyBytes;
  }

  /** @param {string} json @param {Uint8Array} body */
  #addBytes(json, body) {
    const copied = body.length <= COPIED_BODY_BYTES;
    this.#reserve(LENGTHS_BYTES + MOST_BYTES_PER_UNIT * json.length + (copied ? body.length : 0));
    const at = this.#end;
    const jsonBytes = this.#buffer.write(json, at + LENGTHS_BYTES);
    this.#check(jsonBytes, body.length);
    this.#writeLengths(at, jsonBytes, body.length);
    this.#end = at + LENGTHS_BYTES + jsonBytes;
    if (copied) {
      this.#buffer.set(body, this.#end);
      this.#end += body.length;
    } else {
      this.#closeChunk();
      this.#full.push(body);
      this.#fullBytes += body.length;
    }
  }

  /** @param {number} jsonBytes @param {number} bodyBytes */
  #check(jsonBytes, bodyBytes) {
    if (jsonBytes > this.limits.jsonBytes) {
      throw new FrameTooLarge(`the headers take ${jsonBytes} bytes as JSON; the core takes ${this.limits.jsonBytes}`);
    }
    if (bodyBytes > this.limits.bodyBytes) {
      throw new FrameTooLarge(
        `the body has ${bodyBytes} bytes; the core takes ${this.limits.bodyBytes} (its --max-response)`,
      );
    }
  }

  /** @param {number} at @param {number} jsonBytes @param {number} bodyBytes */
  #writeLengths(at, jsonBytes, bodyBytes) {
    this.#buffer.writeUInt32BE(jsonBytes, at);
    this.#buffer.writeUInt32BE(bodyBytes, at + 4);
  }

  /** @param {number} bytes */
  #reserve(bytes) {
    if (this.#buffer.length - this.#end >= bytes) return;
    this.#closeChunk();
    this.#used.push(this.#buffer);
    this.#nextBuffer(Math.max(bytes, BUFFER_BYTES));
  }

  #closeChunk() {
    if (this.#end > this.#begin) {
      this.#full.push(this.#buffer.subarray(this.#begin, this.#end));
      this.#fullBytes += this.#end - this.#begin;
    }
    this.#begin = this.#end;
  }

  /** @param {number} bytes */
  #nextBuffer(bytes) {
    this.#buffer = (bytes === BUFFER_BYTES && this.#free.pop()) || Buffer.allocUnsafeSlow(bytes);
    this.#begin = this.#end = 0;
  }
}
