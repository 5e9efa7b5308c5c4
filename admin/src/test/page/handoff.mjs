// A real server with its workers, as an operator starts it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** The start script builds what has changed. */
const START_MILLIS = 300_000;
const STOP_MILLIS = 30_000;

export class Handoff {
  /** @type {import("node:child_process").ChildProcess} */
  #process;
  #ended;
  #stderr = "";
  /** Where clients find it, and operators. */
  url = "";
  adminUrl = "";

  /** @param {import("node:child_process").ChildProcess} started */
  constructor(started) {
    this.#process = started;
    this.#ended = once(started, "exit");
    started.stderr?.setEncoding("utf8").on("data", (text) => {
      this.#stderr += text;
    });
  }

  /** @param {string[]} command that follows `handoff`, with port 0 where none is given @returns {Promise<Handoff>} once it serves */
  static async start(...command) {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HANDOFF_")));
    const started = spawn("./handoff", command, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
    const handoff = new Handoff(started);
    const late = setTimeout(() => started.kill("SIGKILL"), START_MILLIS);
    for await (const line of createInterface({
      input: /** @type {import("node:stream").Readable} */ (started.stdout),
    })) {
      if (line.startsWith("→ ")) handoff.url = line.slice(2);
      if (line.startsWith("  dashboard ")) handoff.adminUrl = line.slice("  dashboard ".length);
      if (handoff.url && handoff.adminUrl) break;
    }
    clearTimeout(late);
    started.stdout?.resume();
    if (!handoff.adminUrl) throw new Error(`handoff did not start: ${handoff.#stderr}`);
    return handoff;
  }

  /** Drains it, and does not wait for ever. */
  async stop() {
    this.#process.kill("SIGTERM");
    const late = setTimeout(() => this.#process.kill("SIGKILL"), STOP_MILLIS);
    await this.#ended;
    clearTimeout(late);
  }

  /** What the admin server says. @param {string} path @param {RequestInit} options @returns {Promise<any>} */
  async read(path, options = {}) {
    const answer = await fetch(new URL(path, this.adminUrl), options);
    return answer.json();
  }
}
