/** A frame that breaks RFC 6455, of an application that writes its own. */
export class BadFrame extends Error {}

const CONTINUATION = 0;
const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
const FINAL = 0x80;
const LENGTH_OF_16_BITS = 126;
const LENGTH_OF_64_BITS = 127;
const NOTHING = Buffer.alloc(0);

/**
 * What the frames of an application say.
 *
 * @typedef {object} Sink
 * @property {(message: string | Buffer) => void} message
 * @property {(payload: Buffer) => void} ping
 * @property {(code: number | undefined, reason: string) => void} close
 */

/**
 * Reads the frames that an application writes, which has a library for WebSockets of its own (RFC 6455 section 5). They are a
 * server's, so they have no mask. The limit of their size is the core's, which the connection keeps.
 */
export class ServerFrames {
  #sink;
  #mostBytes;
  /** The beginning of a frame that is not complete. @type {Buffer[]} */
  #held = [];
  #heldBytes = 0;
  /** How many bytes there have to be before it is worth to look again. */
  #neededBytes = 2;
  /** @type {Buffer[]} */
  #fragments = [];
  #fragmentBytes = 0;
  #isText = false;
  #inMessage = false;

  /** @param {number} mostBytes of a message @param {Sink} sink */
  constructor(mostBytes, sink) {
    this.#mostBytes = mostBytes;
    this.#sink = sink;
  }

  /** Throws BadFrame. @param {Buffer} bytes which may change afterwards: what is kept is copied */
  read(bytes) {
    this.#heldBytes += bytes.length;
    if (this.#heldBytes < this.#neededBytes) {
      this.#held.push(Buffer.from(bytes));
      return;
    }
    const all = this.#held.length === 0 ? bytes : Buffer.concat([...this.#held, bytes]);
    let at = 0;
    for (let end = this.#readFrame(all, at); end > at; end = this.#readFrame(all, at)) at = end;
    this.#held = at === all.length ? [] : [Buffer.from(all.subarray(at))];
    this.#heldBytes = all.length - at;
  }

  /** Returns where the frame ends, or `at` where it is not complete. @param {Buffer} all @param {number} at */
  #readFrame(all, at) {
    this.#neededBytes = 2;
    if (all.length - at < 2) return at;
    let payloadAt = at + 2;
    let length = all[at + 1] & 0x7f;
    if (all[at + 1] & 0x80) throw new BadFrame("a server's frame has no mask");
    if (length === LENGTH_OF_16_BITS) {
      if (all.length < payloadAt + 2) return at;
      length = all.readUInt16BE(payloadAt);
      payloadAt += 2;
    } else if (length === LENGTH_OF_64_BITS) {
      if (all.length < payloadAt + 8) return at;
      length = Number(all.readBigUInt64BE(payloadAt));
      payloadAt += 8;
    }
    if (length + this.#fragmentBytes > this.#mostBytes) {
      throw new BadFrame(
        `a message has more than the ${this.#mostBytes} bytes that the core takes (its --max-response)`,
      );
    }
    if (all.length < payloadAt + length) {
      this.#neededBytes = payloadAt + length - at;
      return at;
    }
    this.#take(all[at], all.subarray(payloadAt, payloadAt + length));
    return payloadAt + length;
  }

  /** @param {number} first byte of the frame @param {Buffer} payload */
  #take(first, payload) {
    if (first & 0x70) throw new BadFrame("a frame has reserved bits: no extension was agreed on");
    const opcode = first & 0x0f;
    if (opcode === PING) this.#sink.ping(Buffer.from(payload));
    else if (opcode === CLOSE) this.#close(payload);
    else if (opcode === TEXT || opcode === BINARY || opcode === CONTINUATION) this.#fragment(first, opcode, payload);
    else if (opcode !== PONG) throw new BadFrame(`a frame has the unknown opcode ${opcode}`);
  }

  /** @param {number} first @param {number} opcode @param {Buffer} payload */
  #fragment(first, opcode, payload) {
    if ((opcode === CONTINUATION) !== this.#inMessage)
      throw new BadFrame("the fragments of a message are out of order");
    if (opcode !== CONTINUATION) this.#isText = opcode === TEXT;
    this.#inMessage = (first & FINAL) === 0;
    if (this.#inMessage) {
      this.#fragments.push(Buffer.from(payload));
      this.#fragmentBytes += payload.length;
      return;
    }
    const whole = this.#fragments.length === 0 ? Buffer.from(payload) : Buffer.concat([...this.#fragments, payload]);
    this.#fragments = [];
    this.#fragmentBytes = 0;
    this.#sink.message(this.#isText ? whole.toString() : whole);
  }

  /** @param {Buffer} payload */
  #close(payload) {
    if (payload.length < 2) this.#sink.close(undefined, "");
    else this.#sink.close(payload.readUInt16BE(0), payload.toString("utf8", 2));
  }
}

/** A frame of a client with a message; its mask is zeros. @param {string | Buffer} message */
export function messageFrame(message) {
  return typeof message === "string" ? clientFrame(TEXT, Buffer.from(message)) : clientFrame(BINARY, message);
}

/** @param {Buffer} payload */
export function pongFrame(payload) {
  return clientFrame(PONG, payload);
}

/** @param {number | undefined} code undefined for none @param {string} reason */
export function closeFrame(code, reason) {
  if (code === undefined) return clientFrame(CLOSE, NOTHING);
  const payload = Buffer.alloc(2 + Buffer.byteLength(reason));
  payload.writeUInt16BE(code, 0);
  payload.write(reason, 2);
  return clientFrame(CLOSE, payload);
}

/** @param {number} opcode @param {Buffer} payload */
function clientFrame(opcode, payload) {
  const { length } = payload;
  const lengthBytes = length < LENGTH_OF_16_BITS ? 0 : length <= 0xffff ? 2 : 8;
  const head = Buffer.alloc(2 + lengthBytes + 4); // the mask is zeros
  head[0] = FINAL | opcode;
  head[1] = 0x80 | (lengthBytes === 0 ? length : lengthBytes === 2 ? LENGTH_OF_16_BITS : LENGTH_OF_64_BITS);
  if (lengthBytes === 2) head.writeUInt16BE(length, 2);
  else if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}
