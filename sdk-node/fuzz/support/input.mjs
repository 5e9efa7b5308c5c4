/** Pieces that random text seldom hits, and that the code under test tells apart. */
const PIECES = [
  ..."host|content-type|content-length|set-cookie|cookie|connection|transfer-encoding|__proto__|x-a|date".split("|"),
  ..."example.org|EXAMPLE.org:80|[::1]:8080|0x7f.1|1.2.3.4|xn--a|%2e|%2E%2e|/..|/.|//|?a=%20b&c=d|*|/".split("|"),
  ...'\r\n|\n|\r|\0|\t| |"|\\|\\u000a|é|ÿ|Ā|€|😀|\ud800|\u2028|\u{feff}|200|0|-1|1e999|{}|[]|null|true'.split("|"),
];

/**
 * A search's input, taken for a row of choices from its beginning on. When it is used up, every choice is the first and
 * every text empty, so each input means something.
 */
export class Input {
  #bytes;
  #at = 0;

  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.#bytes = Buffer.from(bytes);
  }

  get isUsedUp() {
    return this.#at >= this.#bytes.length;
  }

  /** One of so many. @param {number} count */
  choice(count) {
    return (this.#bytes[this.#at++] ?? 0) % count;
  }

  /** @template T @param {readonly T[]} things @returns {T} */
  one(things) {
    return things[this.choice(things.length)];
  }

  /** At most so many, each made by a function of what is left. @template T @param {number} most @param {() => T} make */
  several(most, make) {
    return Array.from({ length: this.choice(most + 1) }, make);
  }

  /** @param {number} most at most 65,535 */
  number(most) {
    return (this.choice(256) * 256 + this.choice(256)) % (most + 1);
  }

  /** The bytes that come next. @param {number} most */
  bytes(most) {
    const length = this.choice(most + 1);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** Characters of one octet each, as the core writes fields; or pieces; or any that UTF-8 has. */
  text() {
    switch (this.choice(4)) {
      case 0:
        return this.bytes(40).toString("latin1");
      case 1:
        return this.one(PIECES);
      case 2:
        return this.one(PIECES) + this.bytes(20).toString("latin1") + this.one(PIECES);
      default:
        return this.bytes(40).toString("utf8");
    }
  }

  /** All that was not taken. */
  rest() {
    const rest = this.#bytes.subarray(this.#at);
    this.#at = this.#bytes.length;
    return rest;
  }
}
