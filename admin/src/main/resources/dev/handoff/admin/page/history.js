// The last minutes of the charts, made of the differences between successive polls.

/** @import { Counts, Point, Stats } from "./types.js" */

export const SECONDS = 300;

/** Polls further apart than this leave a gap: nobody knows what was between them. */
const GAP_SECONDS = 3.5;

/** Less time than this between two polls makes a rate of noise. */
const SHORTEST_SECONDS = 0.2;

export class History {
  /** @type {Point[]} */
  #points = [];
  /** @type {Stats | null} */
  #last = null;

  /** @param {Stats} stats @param {number} at seconds of the page's own clock */
  add(stats, at) {
    this.#points.push(point(this.#last, stats, at));
    this.#last = stats;
    while (this.#points[0].at < at - SECONDS) this.#points.shift();
  }

  /** @returns {Point | undefined} */
  latest() {
    return this.#points.at(-1);
  }

  /**
   * Columns for a chart: seconds before `now` (so none is above zero), then one column for each field.
   *
   * @param {(keyof Point)[]} fields @param {number} now
   * @returns {(number | null)[][]}
   */
  columns(fields, now) {
    /** @type {(number | null)[][]} */
    const columns = [[], ...fields.map(() => [])];
    let before = -Infinity;
    for (const each of this.#points) {
      if (each.at - before > GAP_SECONDS && before > -Infinity) push(columns, before - now + 0.001, () => null);
      push(columns, each.at - now, (index) => each[fields[index]]);
      before = each.at;
    }
    return columns;
  }
}

/** @param {(number | null)[][]} columns @param {number} x @param {(index: number) => number | null} value */
function push(columns, x, value) {
  columns[0].push(x);
  for (let i = 1; i < columns.length; i++) columns[i].push(value(i - 1));
}

/** @param {Stats | null} before @param {Stats} stats @param {number} at @returns {Point} */
function point(before, stats, at) {
  const { p50, p90, p99 } = stats.recent.latencyMillis;
  return {
    at,
    requestsPerSecond: perSecond(before, stats, (each) => each.requests.total),
    errorsPerSecond: perSecond(before, stats, (each) => each.requests.byStatus["5xx"]),
    rejectedPerSecond: perSecond(before, stats, rejected),
    p50,
    p90,
    p99,
    inFlight: stats.requests.inFlight,
    withWorkers: stats.pools.reduce((sum, pool) => sum + pool.inFlight, 0),
    queued: stats.pools.reduce((sum, pool) => sum + pool.queue.depth, 0),
  };
}

/**
 * How fast a count grew between two polls, by the server's clock. Counts begin at zero with every reset, whoever made it,
 * and with every start; then all that was counted since is the growth.
 *
 * @param {Stats | null} before @param {Stats} now @param {(stats: Stats) => number} counted
 * @returns {number | null} null where there is nothing to compare with
 */
export function perSecond(before, now, counted) {
  if (before === null) return null;
  const restarted = before.server.startedAt !== now.server.startedAt;
  const reset = restarted || before.window.resetAt !== now.window.resetAt;
  const seconds = reset ? now.window.seconds : now.window.seconds - before.window.seconds;
  if (seconds < SHORTEST_SECONDS) return null;
  return Math.max(0, counted(now) - (reset ? 0 : counted(before))) / seconds;
}

/** All that pools turned away. @param {Stats} stats */
export function rejected(stats) {
  return stats.pools.reduce((sum, pool) => sum + total(pool.rejected), 0);
}

/** @param {Counts} counts */
export function total(counts) {
  return Object.values(counts).reduce((sum, each) => sum + each, 0);
}
