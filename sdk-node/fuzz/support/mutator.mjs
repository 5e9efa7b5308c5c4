const LONGEST_BYTES = 400;
const MOST_CHANGES = 6;

/** Makes inputs out of others. The same seed makes the same ones. */
export class Mutator {
  #state;
  #words;

  /** @param {number} seed @param {Buffer[]} words that mutations put in */
  constructor(seed, words) {
    this.#state = seed | 0;
    this.#words = words;
  }

  /** One of so many; Mulberry32. @param {number} count */
  below(count) {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  }

  /** @param {Buffer} input @param {Buffer} other from which parts may be taken */
  changed(input, other) {
    let bytes = input;
    for (let changes = 1 + this.below(MOST_CHANGES); changes > 0; changes--) bytes = this.#change(bytes, other);
    return bytes.subarray(0, LONGEST_BYTES);
  }

  /** @param {Buffer} bytes @param {Buffer} other */
  #change(bytes, other) {
    const at = this.below(bytes.length + 1);
    switch (this.below(9)) {
      case 0:
        return replaced(bytes, at, 1, Buffer.of(this.below(256)));
      case 1:
        return replaced(bytes, at, 1, Buffer.of((bytes[at] ?? 0) ^ (1 << this.below(8))));
      case 2:
        return replaced(bytes, at, 1, Buffer.of(this.below(16))); // a choice
      case 3:
        return replaced(bytes, at, 0, this.#random(1 + this.below(8)));
      case 4:
        return replaced(bytes, at, 1 + this.below(16), Buffer.alloc(0));
      case 5:
        return replaced(bytes, at, 0, this.#part(bytes)); // doubled
      case 6:
        return replaced(bytes, at, this.below(2) * this.below(32), this.#part(other));
      case 7:
        return replaced(bytes, at, 0, this.#words[this.below(this.#words.length)]);
      default: {
        const word = this.#words[this.below(this.#words.length)];
        return replaced(bytes, at, word.length, word);
      }
    }
  }

  /** @param {Buffer} bytes */
  #part(bytes) {
    const at = this.below(bytes.length + 1);
    return bytes.subarray(at, at + 1 + this.below(64));
  }

  /** @param {number} length */
  #random(length) {
    return Buffer.from(Array.from({ length }, () => this.below(256)));
  }
}

/** @param {Buffer} bytes @param {number} at @param {number} count @param {Buffer} others */
function replaced(bytes, at, count, others) {
  return Buffer.concat([bytes.subarray(0, at), others, bytes.subarray(at + count)]);
}
