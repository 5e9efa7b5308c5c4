import { Bar, element, setText } from "./dom.js";
import { count } from "./format.js";

/** From here on it is marked as nearly full. */
const NEARLY_FULL = 0.8;

/** The cell of a table with a number, what it may be at most, and a bar. */
export class Gauge {
  #text = element("span");
  #bar = new Bar();
  node = element("td", { class: "gauge" }, this.#text, this.#bar.node);

  /** @param {number} value @param {number} most */
  set(value, most) {
    setText(this.#text, `${count(value)} of ${count(most)}`);
    this.#bar.set(most > 0 ? value / most : 0);
    this.node.dataset.full = String(value > 0 && value >= most * NEARLY_FULL);
  }
}
