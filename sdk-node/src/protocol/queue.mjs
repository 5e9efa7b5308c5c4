/** Beyond so many that were taken, the array moves up: so its memory follows those that wait, and each one moves once. */
const MOST_TAKEN = 1024;

/**
 * First in, first out, in the same time however many wait. `Array.shift` moves all that wait once they are tens of thousands.
 *
 * @template T
 */
export class Queue {
  /** @type {T[]} */
  #items = [];
  #taken = 0;

  get length() {
    return this.#items.length - this.#taken;
  }

  /** The one that was added first; undefined when there is none. @returns {T | undefined} */
  get first() {
    return this.#items[this.#taken];
  }

  /** @param {T} item */
  add(item) {
    this.#items.push(item);
  }

  /** Takes the first one out; undefined when there is none. @returns {T | undefined} */
  take() {
    if (this.length === 0) return undefined;
    const item = this.#items[this.#taken];
    this.#items[this.#taken++] = /** @type {any} */ (undefined); // its memory is free at once
    if (this.length === 0) this.clear();
    else if (this.#taken > MOST_TAKEN && this.#taken > this.length) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  /** Takes all out. @returns {T[]} */
  clear() {
    const items = this.#items.slice(this.#taken);
    this.#items = [];
    this.#taken = 0;
    return items;
  }
}
