// The four charts and the figure above each.

import { Chart } from "./chart.js";
import { setText } from "./dom.js";
import { count, duration, percent, rate, several } from "./format.js";
import { rejected } from "./history.js";

/** @import { History } from "./history.js" */
/** @import { Look } from "./chart.js" */
/** @import { Point, Stats } from "./types.js" */

/** @typedef {Look & { figure: (stats: Stats, point: Point) => string, aside: (stats: Stats) => string }} Card */

/** @type {Record<string, Card>} */
const CARDS = {
  rate: {
    fields: ["requestsPerSecond", "errorsPerSecond"],
    format: rate,
    least: 10,
    figure: (_, point) => rate(point.requestsPerSecond),
    aside: ({ recent, connections }) => `${percent(failing(recent))} fail · ${several(connections.open, "connection")}`,
  },
  latency: {
    fields: ["p50", "p90", "p99"],
    format: duration,
    least: 1,
    figure: ({ recent }) => duration(recent.latencyMillis.p99),
    aside: ({ recent }) => `max ${duration(recent.latencyMillis.max)} · over the last ${Math.round(recent.seconds)} s`,
  },
  flight: {
    fields: ["inFlight", "withWorkers"],
    format: count,
    least: 10,
    figure: ({ requests }) => count(requests.inFlight),
    aside: ({ pools }) => `workers take ${count(sum(pools.map((pool) => pool.concurrency)))} at once`,
  },
  queue: {
    fields: ["queued", "rejectedPerSecond"],
    format: rate,
    least: 10,
    figure: ({ pools }) => count(sum(pools.map((pool) => pool.queue.depth))),
    aside: (stats) => `${count(rejected(stats))} turned away · oldest ${duration(oldest(stats))}`,
  },
};

export class Overview {
  #cards = Object.entries(CARDS).map(([name, card]) => {
    const node = /** @type {HTMLElement} */ (document.querySelector(`[data-chart="${name}"]`));
    return { node, card, chart: new Chart(node, card) };
  });

  /** @param {Stats} stats @param {History} history @param {number} now seconds of the page's own clock */
  update(stats, history, now) {
    const point = /** @type {Point} */ (history.latest());
    for (const { node, card, chart } of this.#cards) {
      setText(/** @type {Element} */ (node.querySelector("[data-figure]")), card.figure(stats, point));
      setText(/** @type {Element} */ (node.querySelector("[data-aside]")), card.aside(stats));
      chart.draw(history.columns(card.fields, now));
    }
  }

  recolour() {
    for (const { chart } of this.#cards) chart.recolour();
  }
}

/** @param {Stats["recent"]} recent @returns {number} */
function failing(recent) {
  return recent.requestsPerSecond > 0 ? recent.errorsPerSecond / recent.requestsPerSecond : 0;
}

/** @param {Stats} stats */
function oldest(stats) {
  return Math.max(0, ...stats.pools.map((pool) => pool.queue.oldestAgeMillis));
}

/** @param {number[]} numbers */
function sum(numbers) {
  return numbers.reduce((all, each) => all + each, 0);
}
