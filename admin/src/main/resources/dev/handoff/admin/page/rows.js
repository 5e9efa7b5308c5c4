// Keeps the rows of a table in step with a list, each row the same element as long as its key is there, so that
// focus, selection and scrolling stay.

/**
 * @template Item
 * @typedef {{ node: HTMLElement, update: (item: Item) => void }} Row
 */

/** @template Item */
export class Rows {
  #parent;
  #key;
  #create;
  /** @type {Map<string, Row<Item>>} */
  #rows = new Map();

  /**
   * @param {HTMLElement} parent of the rows, which come after whatever else it has
   * @param {(item: Item) => string} key
   * @param {(item: Item) => Row<Item>} create
   */
  constructor(parent, key, create) {
    this.#parent = parent;
    this.#key = key;
    this.#create = create;
  }

  /** @param {Item[]} items those that are there now, in order */
  update(items) {
    const keys = items.map(this.#key);
    this.#removeAllBut(new Set(keys));
    items.forEach((item, index) => {
      this.#row(keys[index], item).update(item);
    });
    this.#arrange(keys);
  }

  /** @param {string} key @param {Item} item */
  #row(key, item) {
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = this.#create(item);
      this.#rows.set(key, row);
      this.#parent.append(row.node);
    }
    return row;
  }

  /** @param {Set<string>} keys */
  #removeAllBut(keys) {
    for (const [key, { node }] of this.#rows) {
      if (keys.has(key)) continue;
      if (node.contains(document.activeElement)) titleOf(node)?.focus({ preventScroll: true });
      node.remove();
      this.#rows.delete(key);
    }
  }

  /** To move a row takes the focus from it, so rows stay where they are while somebody works in them. @param {string[]} keys */
  #arrange(keys) {
    if (this.#parent.contains(document.activeElement) || this.#parent.matches(":hover")) return;
    const first = this.#parent.childElementCount - keys.length;
    keys.forEach((key, index) => {
      const node = /** @type {Row<Item>} */ (this.#rows.get(key)).node;
      const there = this.#parent.children[first + index];
      if (there !== node) this.#parent.insertBefore(node, there);
    });
  }
}

/** Where the focus goes when its row is gone. @param {HTMLElement} node @returns {HTMLElement | null | undefined} */
function titleOf(node) {
  return node.closest("section")?.querySelector("h2[tabindex]");
}
