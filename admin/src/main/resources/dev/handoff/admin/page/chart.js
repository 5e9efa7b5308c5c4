// One chart over the last minutes: uPlot, in the page's own colours and type.

import { setText } from "./dom.js";
import { NONE } from "./format.js";
import { SECONDS } from "./history.js";
import { top } from "./scale.js";

/** @import { Point } from "./types.js" */
/** @import { default as Plot } from "uplot" */

/** @type {typeof Plot} */
const uPlot = /** @type {any} */ (globalThis).uPlot;

const TICKS = [-SECONDS, -240, -180, -120, -60, 0];
const FONT = "11px system-ui, sans-serif";

/** Lines differ in more than their colour; the legend draws the same. */
const LINES = [
  { width: 1.5, dash: [] },
  { width: 1.5, dash: [6, 3] },
  { width: 2.5, dash: [] },
];

/** One cursor for all charts, so that a moment can be followed through them. */
const CURSOR = "handoff";

/**
 * @typedef {object} Look
 * @property {(keyof Point)[]} fields one for each line of the legend, in its order
 * @property {(value: number | null) => string} format
 * @property {number} least what the axis shows at least
 */

export class Chart {
  #plot;
  #values;
  #swatches;
  #format;
  #least;
  #top;
  #node;
  /** @type {(number | null)[][]} */
  #columns = [];

  /** @param {HTMLElement} card @param {Look} look */
  constructor(card, { fields, format, least }) {
    this.fields = fields;
    this.#format = format;
    this.#least = least;
    this.#top = top(0, null, least);
    this.#node = /** @type {HTMLElement} */ (card.querySelector(".plot"));
    this.#values = [...card.querySelectorAll(".legend dd")];
    this.#swatches = [...card.querySelectorAll(".legend dt")];
    this.#columns = [[], ...fields.map(() => [])];
    this.#plot = new uPlot(this.#options(), /** @type {any} */ (this.#columns), this.#node);
    new ResizeObserver(() => this.#resize()).observe(this.#node);
  }

  /** @param {(number | null)[][]} columns seconds before now, then the fields */
  draw(columns) {
    this.#columns = columns;
    const highest = Math.max(
      0,
      ...columns
        .slice(1)
        .flat()
        .map((value) => value ?? 0),
    );
    this.#top = top(this.#top, highest, this.#least);
    this.#plot.setData(/** @type {any} */ (columns));
    this.#tell(this.#plot.cursor.idx);
  }

  /** Takes the colours anew, after a change of theme. */
  recolour() {
    this.#plot.redraw(false, true);
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.#node;
    if (width > 0 && height > 0) this.#plot.setSize({ width, height });
  }

  /** The legend tells the moment under the cursor, or else the latest. @param {number | null | undefined} index */
  #tell(index) {
    const at = index ?? this.#columns[0].length - 1;
    this.#values.forEach((node, i) => {
      setText(node, at < 0 ? NONE : this.#format(this.#columns[i + 1][at] ?? null));
    });
  }

  /** @returns {Plot.Options} */
  #options() {
    const grid = { stroke: () => colour(this.#node, "--grid"), width: 1 };
    const axis = { stroke: () => colour(this.#node, "--muted"), font: FONT, ticks: { show: false }, grid };
    return {
      width: this.#node.clientWidth || 280,
      height: this.#node.clientHeight || 132,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, sync: { key: CURSOR }, points: { size: 6 } },
      scales: {
        x: { time: false, range: () => [-SECONDS, 0] },
        y: { range: () => [0, this.#top] },
      },
      axes: [
        {
          ...axis,
          size: 22,
          gap: 4,
          splits: () => TICKS,
          values: (_, ticks) => ticks.map(minutes),
          grid: { show: false },
        },
        {
          ...axis,
          size: 52,
          gap: 6,
          splits: () => [0, this.#top / 2, this.#top],
          values: (_, ticks) => ticks.map(this.#format),
        },
      ],
      series: [{}, ...this.fields.map((_, index) => this.#series(index))],
      hooks: { setCursor: [(plot) => this.#tell(plot.cursor.idx)] },
    };
  }

  /** @param {number} index @returns {Plot.Series} */
  #series(index) {
    const stroke = () => getComputedStyle(this.#swatches[index]).color;
    const fill = () => colour(this.#node, "--wash");
    return {
      stroke,
      ...LINES[index],
      points: { show: false },
      ...(index === 0 && this.fields.length < 3 ? { fill } : {}),
    };
  }
}

/** @param {number} tick seconds, zero or below */
function minutes(tick) {
  if (tick === 0) return "now";
  return tick % 120 === 0 ? `${-tick / 60} min` : "";
}

/**
 * A colour of the style sheet as a canvas takes it: `light-dark()` is resolved only in a property that is a colour.
 *
 * @param {HTMLElement} node @param {string} name
 */
function colour(node, name) {
  node.style.setProperty("outline-color", `var(${name})`);
  const found = getComputedStyle(node).outlineColor;
  node.style.removeProperty("outline-color");
  return found;
}
