import { url as debuggerUrl } from "node:inspector";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { shown } from "../log/shorten.mjs";
import { Connection } from "./connection.mjs";
import { takeEnvironment } from "./environment.cjs";
import { Farewell } from "./process-end.mjs";
import { ReadyFile } from "./ready-file.mjs";
import { whoMay } from "./socket-advice.mjs";

const DEFAULT_WINDOW = 64;
const FIRST_DELAY_MILLIS = 100;
const LONGEST_DELAY_MILLIS = 5000;
/** How long a worker that crashed waits for the core to let it go. */
const CRASH_MILLIS = 2000;
/** How often the core hears how much memory this process holds, where it cannot look by itself. */
const MEMORY_MILLIS = 10_000;
/** Of what a hello tells. */
const MOST_CHARACTERS = 256;

/** The core's word for a token that another process has used. */
const NOT_OURS = "bad_token";

const { name, version } = createRequire(import.meta.url)("../../package.json");

/** @typedef {import("./connection.mjs").Dispatch} Dispatch */

/**
 * This process as a worker of the core: connects, connects again if nobody else would start it anew, and leaves in order.
 *
 * Started by the core it ends with the core. SIGTERM drains: no new requests, those in hand are finished; so does the core's
 * own word, which the program hears as a SIGTERM, see Farewell. An exception that nobody caught fails all requests in hand, since
 * nobody knows which of them it belongs to or what it left behind, and ends the process, as it would without us; the core starts
 * another.
 */
export class Worker {
  #environment;
  #window;
  /** @type {Dispatch | undefined} */
  #dispatch;
  /** @type {Connection | undefined} */
  #connection;
  #leaving = false;
  #exitCode = 0;
  #refused = false;
  #turnedAway = false;
  #attempts = 0;
  #lastComplaint = "";
  /** @type {(() => unknown)[] | undefined} */
  #leave = [];
  #farewell = new Farewell(() => this.#askedToLeave());
  #onTurnedAway;
  #readyFile;

  /**
   * @param {object} options
   * @param {number} [options.concurrency] the window, unless the operator chose one
   * @param {import("./environment.cjs").Environment} [options.environment] if it has been taken already
   * @param {() => void} [options.onTurnedAway] what to do where another process is this worker; else this one ends
   */
  constructor({ concurrency, environment = takeEnvironment(), onTurnedAway }) {
    this.#environment = environment;
    this.#window = environment.concurrency ?? concurrency ?? DEFAULT_WINDOW;
    this.#onTurnedAway = onTurnedAway;
    this.#readyFile = new ReadyFile(environment.readyFile);
    process.on("exit", () => this.#readyFile.remove());
    process.on("SIGINT", this.#onInterrupt);
    process.on("uncaughtException", this.#onUncaught);
    if (!this.#spawned) setInterval(() => this.#tellMemory(), MEMORY_MILLIS).unref();
    this.#connect();
  }

  get #spawned() {
    return this.#environment.token !== undefined;
  }

  /** Opens the window. @param {Dispatch} dispatch */
  open(dispatch) {
    this.#dispatch = dispatch;
    if (this.#connection && !this.#leaving) this.#openWindow(this.#connection);
  }

  /** Finishes what is in hand and ends the process. */
  drain() {
    const already = this.#leaving;
    this.#leaving = true;
    this.#readyFile.remove();
    if (!this.#connection) this.#exit();
    else if (!already) this.#connection.drain();
  }

  /** The same, but that the program ends the process, as it has closed what it served with. */
  leave() {
    this.#farewell.leaveToProgram();
    this.drain();
  }

  /** Calls back when the last answer has left, and waits for it before the process ends. @param {() => unknown} leave */
  onLeave(leave) {
    if (this.#leave) this.#leave.push(leave);
    else leave();
  }

  #connect() {
    const { socket, pool, token, name: worker } = this.#environment;
    const hello = {
      concurrency: 0, // the window opens after welcome, when there is a handler
      pool,
      token,
      name: worker,
      pid: process.pid,
      host: hostname().slice(0, MOST_CHARACTERS) || undefined,
      language: `node ${process.versions.node}`,
      sdk: `${name} ${version}`,
    };
    const connection = new Connection(socket, hello, this.#window, (request, from) => this.#dispatch?.(request, from), {
      welcomed: (welcomed) => this.#welcomed(welcomed),
      refused: (code, message) => this.#refusedWith(code, message),
      drained: () => this.#drained(),
      ended: (error) => this.#ended(error),
    });
    return connection;
  }

  /** @param {Connection} connection */
  #welcomed(connection) {
    this.#connection = connection;
    if (this.#attempts === 0) this.#tellDebugger();
    this.#attempts = 0;
    this.#lastComplaint = "";
    if (this.#leaving) connection.drain();
    else if (this.#dispatch) this.#openWindow(connection);
  }

  /** @param {Connection} connection */
  #openWindow(connection) {
    this.#readyFile.put();
    this.#tellWindow(connection);
  }

  /** @param {Connection} connection */
  #tellWindow(connection) {
    connection.capacity(this.#window, this.#spawned ? undefined : process.memoryUsage.rss());
  }

  #tellMemory() {
    if (this.#connection && this.#dispatch && !this.#leaving) this.#tellWindow(this.#connection);
  }

  /** Node itself says where a debugger can connect, and not to which of several workers. */
  #tellDebugger() {
    const place = debuggerUrl();
    if (place) console.error(`handoff: ${this.#environment.name ?? "this worker"} has the debugger: ${place}`);
  }

  /** The core sends nothing more. A worker that somebody else has started outlives it. */
  #drained() {
    this.#readyFile.remove();
    if (!this.#spawned || this.#leaving) return;
    this.#leaving = true;
    this.#farewell.tell();
  }

  /** @param {string} code @param {string} message */
  #refusedWith(code, message) {
    if (code === NOT_OURS && this.#spawned && this.#onTurnedAway) {
      this.#turnedAway = true;
      this.#farewell.revoke();
      process.off("SIGINT", this.#onInterrupt);
      process.off("uncaughtException", this.#onUncaught);
    } else {
      this.#complain(`the core refuses this worker: ${message} (${code})`, true);
    }
  }

  /** @param {Error} [error] */
  #ended(error) {
    const { socket } = this.#environment;
    this.#connection = undefined;
    this.#readyFile.remove();
    if (this.#turnedAway) {
      this.#onTurnedAway?.();
      return;
    }
    if (this.#leaving) {
      this.#exit();
    } else if (this.#spawned) {
      if (!this.#refused) this.#complain(error ? `${socket}: ${whyEnded(error, socket)}` : "the core is gone");
      this.#exitCode = 1;
      if (!this.#refused) this.#farewell.tell();
      this.#exit();
    } else {
      if (!this.#refused) this.#complain(`${socket}: ${whyEnded(error, socket)}`);
      this.#refused = false;
      setTimeout(() => this.#connect(), this.#nextDelay());
    }
  }

  #nextDelay() {
    const delay = Math.min(LONGEST_DELAY_MILLIS, FIRST_DELAY_MILLIS * 2 ** this.#attempts++);
    return delay * (0.5 + Math.random());
  }

  /** Says something once, however often it is tried again. @param {string} complaint @param {boolean} [refused] */
  #complain(complaint, refused = false) {
    this.#refused ||= refused;
    if (complaint === this.#lastComplaint) return;
    this.#lastComplaint = complaint;
    console.error(`handoff: ${complaint}${this.#spawned ? "" : "; trying again"}`);
  }

  #askedToLeave() {
    if (this.#leaving && !this.#spawned) this.#farewell.exitNow(1); // asked twice
    this.drain();
  }

  #onInterrupt = () => {
    // Ctrl-C reaches the whole group of the terminal; the core then tells its workers itself.
    if (!this.#spawned) this.#askedToLeave();
  };

  /** @param {unknown} error @param {string} origin */
  #onUncaught = (error, origin) => {
    if (process.listenerCount("uncaughtException") > 1) return; // the program has its own answer to this
    console.error(`handoff: ${origin}, so this worker ends:`, shown(error));
    this.#exitCode = 1;
    if (!this.#connection) return this.#farewell.exitNow(1);
    this.#connection.failAll(error);
    this.drain();
    setTimeout(() => this.#farewell.exitNow(1), CRASH_MILLIS);
  };

  async #exit() {
    try {
      for (const leave of this.#leave ?? []) await leave();
    } catch (error) {
      console.error("handoff: closing failed:", shown(error));
      this.#exitCode = 1;
    }
    this.#leave = undefined;
    this.#farewell.end(this.#exitCode);
  }
}

/** @param {Error | undefined} error @param {string} socket */
function whyEnded(error, socket) {
  if (!error) return "the core ended the connection";
  const isDenied = /** @type {NodeJS.ErrnoException} */ (error).code === "EACCES";
  return isDenied ? `${error.message}; ${whoMay(socket)}` : error.message;
}
