import { createRequire } from "node:module";
import { Connection } from "./connection.mjs";
import { takeEnvironment } from "./environment.mjs";

const DEFAULT_WINDOW = 64;
const FIRST_DELAY_MILLIS = 100;
const LONGEST_DELAY_MILLIS = 5000;
/** How long a worker that crashed waits for the core to let it go. */
const CRASH_MILLIS = 2000;

const { name, version } = createRequire(import.meta.url)("../package.json");

/** @typedef {import("./connection.mjs").Dispatch} Dispatch */

/**
 * This process as a worker of the core: connects, connects again if nobody else would start it anew, and leaves in order.
 *
 * Started by the core it ends with the core. SIGTERM drains: no new requests, those in hand are finished. An exception that
 * nobody caught fails all requests in hand, since nobody knows which of them it belongs to or what it left behind, and ends
 * the process, as it would without us; the core starts another.
 */
export class Worker {
  #environment = takeEnvironment();
  #window;
  /** @type {Dispatch | undefined} */
  #dispatch;
  /** @type {Connection | undefined} */
  #connection;
  #leaving = false;
  #exitCode = 0;
  #refused = false;
  #attempts = 0;
  #lastComplaint = "";
  /** @type {(() => unknown)[]} */
  #leave = [];

  /** @param {number | undefined} concurrency the window, unless the operator chose one */
  constructor(concurrency) {
    this.#window = this.#environment.concurrency ?? concurrency ?? DEFAULT_WINDOW;
    process.on("SIGTERM", () => this.#askedToLeave());
    process.on("SIGINT", () => this.#interrupted());
    process.on("uncaughtException", (error, origin) => this.#crash(error, origin));
    this.#connect();
  }

  get #spawned() {
    return this.#environment.token !== undefined;
  }

  /** Opens the window. @param {Dispatch} dispatch */
  open(dispatch) {
    this.#dispatch = dispatch;
    this.#connection?.capacity(this.#window);
  }

  /** Finishes what is in hand and ends the process. */
  drain() {
    this.#leaving = true;
    if (this.#connection) this.#connection.drain();
    else this.#exit();
  }

  /** Calls back when the last answer has left, and waits for it before the process ends. @param {() => unknown} leave */
  onLeave(leave) {
    this.#leave.push(leave);
  }

  #connect() {
    const { socket, pool, token, name: worker } = this.#environment;
    const hello = {
      concurrency: 0, // the window opens after welcome, when there is a handler
      pool,
      token,
      name: worker,
      pid: process.pid,
      language: `node ${process.versions.node}`,
      sdk: `${name} ${version}`,
    };
    const connection = new Connection(socket, hello, this.#window, (request, from) => this.#dispatch?.(request, from), {
      welcomed: (welcomed) => this.#welcomed(welcomed),
      refused: (message) => this.#complain(`the core refuses this worker: ${message}`, true),
      // Started by somebody else, it outlives a core.
      drained: () => {
        this.#leaving ||= this.#spawned;
      },
      ended: (error) => this.#ended(error),
    });
    return connection;
  }

  /** @param {Connection} connection */
  #welcomed(connection) {
    this.#connection = connection;
    this.#attempts = 0;
    this.#lastComplaint = "";
    if (this.#leaving) connection.drain();
    else if (this.#dispatch) connection.capacity(this.#window);
  }

  /** @param {Error} [error] */
  #ended(error) {
    const { socket } = this.#environment;
    this.#connection = undefined;
    if (this.#leaving) {
      this.#exit();
    } else if (this.#spawned) {
      if (!this.#refused) this.#complain(error ? `${socket}: ${error.message}` : "the core is gone");
      this.#exitCode = 1;
      this.#exit();
    } else {
      if (!this.#refused) this.#complain(`${socket}: ${error?.message ?? "the core ended the connection"}`);
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
    if (this.#leaving && !this.#spawned) process.exit(1); // asked twice
    this.drain();
  }

  #interrupted() {
    // Ctrl-C reaches the whole group of the terminal; the core then tells its workers itself.
    if (!this.#spawned) this.#askedToLeave();
  }

  /** @param {unknown} error @param {string} origin */
  #crash(error, origin) {
    if (process.listenerCount("uncaughtException") > 1) return; // the program has its own answer to this
    console.error(`handoff: ${origin}, so this worker ends:`, error);
    this.#exitCode = 1;
    if (!this.#connection) process.exit(1);
    this.#connection.failAll(error);
    this.drain();
    setTimeout(() => process.exit(1), CRASH_MILLIS);
  }

  async #exit() {
    try {
      for (const leave of this.#leave) await leave();
    } catch (error) {
      console.error("handoff: closing failed:", error);
      this.#exitCode = 1;
    }
    process.exit(this.#exitCode);
  }
}
