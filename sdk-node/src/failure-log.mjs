const MILLIS_BETWEEN_TRACES = 1000;
/** Past so many, every kind counts as seen. */
const MOST_KINDS = 64;
const LONGEST_KIND = 2000;

/**
 * Tells in this worker's log why handlers failed. The first failure of a kind is told in full, with its trace; of all that come
 * after it one in a second, and how many were left out. So a handler that fails for every request does not fill the log,
 * whatever clients send; the core's log has a line for each.
 */
export class FailureLog {
  #tell;
  #now;
  #later;
  /** @type {Set<string>} */
  #kinds = new Set();
  #lastTrace = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  /**
   * @param {(...words: unknown[]) => void} [tell]
   * @param {() => number} [now] milliseconds of a clock that only goes forward
   * @param {(run: () => void, millis: number) => void} [later]
   */
  constructor(
    tell = console.error,
    now = () => performance.now(),
    later = (run, millis) => {
      setTimeout(run, millis).unref();
    },
  ) {
    this.#tell = tell;
    this.#now = now;
    this.#later = later;
  }

  /** @param {{ method: string, target: string }} request @param {unknown} error */
  failed(request, error) {
    const since = this.#now() - this.#lastTrace;
    if (!this.#isNew(kindOf(error)) && since < MILLIS_BETWEEN_TRACES) {
      if (this.#leftOut++ === 0) this.#later(() => this.#tellLeftOut(), MILLIS_BETWEEN_TRACES - since);
      return;
    }
    this.#lastTrace = this.#now();
    this.#tell(`handoff: ${request.method} ${request.target} failed:`, error);
  }

  /** @param {string} kind */
  #isNew(kind) {
    if (this.#kinds.has(kind) || this.#kinds.size === MOST_KINDS) return false;
    this.#kinds.add(kind);
    return true;
  }

  #tellLeftOut() {
    this.#tell(`handoff: ${this.#leftOut} more requests failed as others did before; their traces are left out`);
    this.#leftOut = 0;
  }
}

/** What an error is and where it was thrown, without its message, which may hold what a client sent. @param {unknown} error */
function kindOf(error) {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, stack } = error;
  const at = typeof stack === "string" ? stack.indexOf("\n    at ", stack.indexOf(message) + message.length) : -1;
  return `${name}${at < 0 ? "" : stack?.slice(at)}`.slice(0, LONGEST_KIND);
}
