const FIRST_PLACES = 64; // a power of two, as all sizes are

/**
 * What belongs to ids that come and go by the thousands a second. It does what a Map does, in half of the time, and lets go of what
 * was deleted. A Map that is full of deleted keys goes on in a new table, to which V8 has the old one point, for its iterators. Once
 * one of these tables is in the old generation all later ones are kept, with what they held then, until a collection of everything:
 * so nearly each request of a Fastify with a browser's 15 fields outlived the small collections, which took a third of its CPU time.
 *
 * @template T
 */
export class ById {
  size = 0;
  /** The entries by the last bits of their ids; several in one place are linked. @type {(Entry<T> | undefined)[]} */
  #places = new Array(FIRST_PLACES).fill(undefined);

  /** @param {number} id @returns {T | undefined} */
  get(id) {
    let entry = this.#places[this.#place(id)];
    while (entry !== undefined && entry.id !== id) entry = entry.next;
    return entry?.value;
  }

  /** Adds a value, in place of one that the id has. @param {number} id @param {T} value */
  set(id, value) {
    this.delete(id);
    if (this.size === this.#places.length) this.#grow();
    this.#add(id, value);
    this.size++;
  }

  /** Returns whether there was one. @param {number} id */
  delete(id) {
    const place = this.#place(id);
    let before;
    let entry = this.#places[place];
    while (entry !== undefined && entry.id !== id) {
      before = entry;
      entry = entry.next;
    }
    if (entry === undefined) return false;
    if (before === undefined) this.#places[place] = entry.next;
    else before.next = entry.next;
    this.size--;
    return true;
  }

  /** All that are here now, each as `[id, value]`. */
  entries() {
    /** @type {[number, T][]} */
    const all = [];
    for (let entry of this.#places) {
      for (; entry !== undefined; entry = entry.next) all.push([entry.id, entry.value]);
    }
    return all;
  }

  /** All values that are here now. */
  values() {
    return this.entries().map(([, value]) => value);
  }

  clear() {
    this.#places.fill(undefined);
    this.size = 0;
  }

  /** @param {number} id */
  #place(id) {
    return id & (this.#places.length - 1);
  }

  /** @param {number} id @param {T} value */
  #add(id, value) {
    const place = this.#place(id);
    this.#places[place] = { id, value, next: this.#places[place] };
  }

  #grow() {
    const entries = this.entries();
    this.#places = new Array(2 * this.#places.length).fill(undefined);
    for (const [id, value] of entries) this.#add(id, value);
  }
}

/** @template T @typedef {{ readonly id: number, readonly value: T, next: Entry<T> | undefined }} Entry */
