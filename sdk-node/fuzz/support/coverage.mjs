import { Session } from "node:inspector";

const COUNTED = new URL("../../src/", import.meta.url).href;

/** By script: for each character, a bit for each power of two. @typedef {Map<string, Uint32Array>} Reached */

/**
 * Which parts of the SDK's sources were run through, and how often, as V8 counts blocks. How often is told apart in powers of
 * two, so that another turn of a long loop is nothing new. A look takes V8 as long as many executions, so one is meant for
 * many together; only if they have reached something new, each of them is worth a look.
 */
export class Coverage {
  #session = new Session();
  /** @type {Reached} */
  #together = new Map();
  /** @type {Reached} */
  #alone = new Map();

  constructor() {
    this.#session.connect();
    this.#ask("Profiler.enable");
    this.#ask("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Whether the executions since the last look have together reached something new. */
  growsTogether() {
    return this.#grows(this.#together);
  }

  /** Whether the one execution since the last look has. */
  growsAlone() {
    return this.#grows(this.#alone);
  }

  /** How many characters of the sources have been reached. */
  get size() {
    let size = 0;
    for (const bits of this.#alone.values()) size += bits.filter((bit) => bit !== 0).length;
    return size;
  }

  /** @param {Reached} reached */
  #grows(reached) {
    let grows = false;
    for (const { url, functions } of this.#ask("Profiler.takePreciseCoverage").result) {
      if (!url.startsWith(COUNTED)) continue;
      for (const { ranges } of functions) grows = add(reached, url, ranges) || grows;
    }
    return grows;
  }

  /** The session is of this thread, and calls back before `post` returns. @param {string} method @param {object} [parameters] */
  #ask(method, parameters) {
    let answer;
    this.#session.post(method, parameters, (error, result) => {
      if (error) throw error;
      answer = result;
    });
    return /** @type {any} */ (answer);
  }
}

/** Of a function's ranges each lies in one before, or behind it. @param {Reached} reached @param {string} url @param {any[]} ranges */
function add(reached, url, ranges) {
  const [{ startOffset: begin, endOffset: end, count }] = ranges;
  if (count === 0) return false;
  const powers = new Uint8Array(end - begin);
  for (const range of ranges) {
    powers.fill(32 - Math.clz32(range.count), range.startOffset - begin, range.endOffset - begin);
  }
  const bits = bitsOf(reached, url, end);
  let grows = false;
  for (let i = 0; i < powers.length; i++) {
    if (powers[i] === 0) continue;
    const bit = 1 << (powers[i] - 1);
    if ((bits[begin + i] & bit) !== 0) continue;
    bits[begin + i] |= bit;
    grows = true;
  }
  return grows;
}

/** @param {Reached} reached @param {string} url @param {number} length at least */
function bitsOf(reached, url, length) {
  const bits = reached.get(url) ?? new Uint32Array();
  if (bits.length >= length) return bits;
  const longer = new Uint32Array(length);
  longer.set(bits);
  reached.set(url, longer);
  return longer;
}
