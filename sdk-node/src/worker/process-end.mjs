/** How long a program may take to end by itself after the last response. A second later the core would kill it. */
const END_MILLIS = 5000;

/**
 * Ends the process of a worker in the way that its program expects. A program hears of its end by SIGTERM, and closes what it has
 * opened. It hears SIGTERM once, whether the signal came or the core lets the worker go, and as soon as no new requests come, since
 * a response may wait for it. Requests in hand are finished all the same: until then process.exit() is held back.
 */
export class ProcessEnd {
  #onSignal;
  #exit = process.exit;
  #playing = false;
  /** The call of process.exit() that is held back. @type {{ code?: any } | undefined} */
  #asked;
  #isOfProgram = false;

  /** @param {() => void} onSignal called when SIGTERM has really come, before the program hears it */
  constructor(onSignal) {
    this.#onSignal = onSignal;
    process.prependListener("SIGTERM", this.#hear);
  }

  /** Lets the program hear a SIGTERM, as the core has let the worker go. */
  tell() {
    if (process.listenerCount("SIGTERM") === 1) return;
    this.#playing = true;
    try {
      process.emit("SIGTERM", "SIGTERM");
    } finally {
      this.#playing = false;
    }
  }

  /** From now on the program ends the process, unless it takes too long. */
  leaveToProgram() {
    if (this.#isOfProgram) return;
    this.#isOfProgram = true;
    process.exit = /** @type {any} */ (
      (/** @type {any} */ code) => {
        this.#asked ??= { code };
      }
    );
  }

  /** Ends the process: no request is in hand any more. @param {number} code to exit with, unless the program wants another */
  end(code) {
    if (this.#asked || !this.#isOfProgram) this.exitNow(this.#asked?.code ?? code);
    process.exit = this.#exit;
    process.exitCode ??= code;
    setTimeout(() => this.exitNow(code), END_MILLIS).unref();
  }

  /** @param {number} code @returns {never} */
  exitNow(code) {
    process.exit = this.#exit;
    return process.exit(code);
  }

  /** Takes the listener for SIGTERM away again. */
  revoke() {
    process.off("SIGTERM", this.#hear);
  }

  #hear = () => {
    const others = process.listeners("SIGTERM").filter((listener) => listener !== this.#hear);
    if (others.length > 0) this.leaveToProgram();
    for (const listener of others) process.off("SIGTERM", listener); // once: the core may send the signal after its message `drain`
    if (!this.#playing) this.#onSignal();
  };
}
