import { spawn } from "node:child_process";
import { once } from "node:events";

const PATIENCE_MILLIS = 60_000;

/** A process whose output a test can wait for. It is killed when the test ends, if it has not ended by then. */
export class Process {
  output = "";
  #child;
  #ended;
  #waiting = new Set();

  /** @param {import("node:test").TestContext} context @param {string[]} command @param {import("node:child_process").SpawnOptions} [options] */
  constructor(context, [program, ...words], options = {}) {
    this.#child = spawn(program, words, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text) => this.#take(text));
    }
    this.#ended = once(this.#child, "close");
    context.after(() => this.#stop());
  }

  get pid() {
    return Number(this.#child.pid);
  }

  /** @param {NodeJS.Signals} signal */
  signal(signal) {
    this.#child.kill(signal);
  }

  /** The first match of its output with a pattern. @param {RegExp} pattern @returns {Promise<RegExpMatchArray>} */
  async told(pattern) {
    const deadline = AbortSignal.timeout(PATIENCE_MILLIS);
    for (;;) {
      const match = this.output.match(pattern);
      if (match) return match;
      const { promise, resolve, reject } = withResolvers();
      this.#waiting.add(resolve);
      deadline.onabort = () => reject(new Error(`no ${pattern} in:\n${this.output}`));
      this.#ended.then(() => {
        if (!this.output.match(pattern)) reject(new Error(`ended without ${pattern}:\n${this.output}`));
      });
      await promise;
    }
  }

  /** Its exit code, or the signal that ended it. @returns {Promise<number | string>} */
  async ended() {
    const [code, signal] = await this.#ended;
    return code ?? signal;
  }

  #take(text) {
    this.output += text;
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }

  async #stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    await this.#ended;
  }
}

/** Promise.withResolvers of Node 22. */
export function withResolvers() {
  let resolve;
  let reject;
  const promise = new Promise((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}
