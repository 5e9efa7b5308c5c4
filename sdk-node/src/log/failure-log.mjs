import { cut, shortMessage, shortTrace } from "./shorten.mjs";

const MILLIS_BETWEEN_TRACES = 1000;
/** Beyond so many places, and so many messages of each, every failure counts as seen: messages may hold what clients send. */
const MOST_PLACES = 64;
const MOST_MESSAGES = 8;
const LONGEST_PLACE = 2000;
const LONGEST_MESSAGE = 200;
const LONGEST_TARGET = 200;

/**
 * Logs why handlers failed. The first failure with a message at a place is logged with its trace. Of all that come again one a second
 * is logged, and how many were left out. So a handler that fails for every request does not fill the log, whatever clients send.
 * The core's log has a line for each.
 */
export class FailureLog {
  #tell;
  #now;
  #later;
  /** The logged messages, by the place that threw them. @type {Map<string, Set<string>>} */
  #told = new Map();
  #lastTrace = Number.NEGATIVE_INFINITY;
  #leftOut = 0;

  /**
   * @param {(text: string) => void} [tell]
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

  /** Logs a failure, where that is due. @param {{ method: string, target: string }} request @param {unknown} error what was thrown */
  failed(request, error) {
    const [path] = request.target.split("?", 1); // the query may hold secrets
    this.#log(`${request.method} ${cut(path, LONGEST_TARGET)} failed`, error);
  }

  /** Logs an error that tells of the end of a request, where that is due. @param {unknown} error that no handler has handled */
  unhandled(error) {
    this.#log("this worker goes on, although no handler handles what tells it of the end of a request", error);
  }

  /** @param {string} what @param {unknown} error */
  #log(what, error) {
    const since = this.#now() - this.#lastTrace;
    if (!this.#isNew(error) && since < MILLIS_BETWEEN_TRACES) {
      if (this.#leftOut++ === 0) this.#later(() => this.#tellLeftOut(), MILLIS_BETWEEN_TRACES - since);
      return;
    }
    this.#lastTrace = this.#now();
    // One text, since console.error would take `%c` in a path for a format, and what follows for its value.
    this.#tell(`handoff: ${what}: ${shortTrace(error)}`);
  }

  /** @param {unknown} error */
  #isNew(error) {
    const place = placeOf(error);
    const messages = this.#told.get(place) ?? new Set();
    const message = shortMessage(error).slice(0, LONGEST_MESSAGE);
    if (messages.has(message) || messages.size === MOST_MESSAGES) return false;
    if (messages.size === 0 && this.#told.size === MOST_PLACES) return false;
    this.#told.set(place, messages.add(message));
    return true;
  }

  #tellLeftOut() {
    this.#tell(`handoff: ${this.#leftOut} more requests failed like others before; their traces are left out`);
    this.#leftOut = 0;
  }
}

/** The trace of an error without its message, or the type of what is no error. @param {unknown} error */
function placeOf(error) {
  if (!(error instanceof Error)) return typeof error;
  const { message, stack } = error;
  if (typeof stack !== "string" || typeof message !== "string") return typeof error;
  const at = stack.indexOf("\n    at ", stack.indexOf(message) + message.length);
  return at < 0 ? typeof error : stack.slice(at, at + LONGEST_PLACE);
}

/** That of this process, however often it connects. */
export const failures = new FailureLog();
