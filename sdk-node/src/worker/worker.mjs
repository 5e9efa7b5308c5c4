import { url as debuggerUrl } from "node:inspector";
import { createRequire } from "node:module";
import { hostname } from "node:os";
import { failures } from "../log/failure-log.mjs";
import { shortTrace } from "../log/shorten.mjs";
import { tellsOfTheEnd } from "../protocol/request-over.mjs";
import { Connection } from "./connection.mjs";
import { takeEnvironment } from "./environment.cjs";
import { ProcessEnd } from "./process-end.mjs";
import { ReadyFile } from "./ready-file.mjs";
import { socketAdvice } from "./socket-advice.mjs";

/** node:http has no limit, and handlers mostly wait; docs/decisions/0011-node-http-classes.md has the figures. */
const DEFAULT_CONCURRENCY = 1000;
const FIRST_DELAY_MILLIS = 100;
const LONGEST_DELAY_MILLIS = 5000;
/** Soon, since the places that become free are for whoever comes first. */
const FULL_MILLIS = 4;
/** How long a worker that crashed waits for the core to let it go. */
const CRASH_MILLIS = 2000;
/** How often the core hears how much memory this process holds, where it cannot look by itself. */
const MEMORY_MILLIS = 10_000;
/** The longest text in a hello. */
const MOST_CHARACTERS = 256;

/** The core's code for a token that another process has used. */
const NOT_OURS = "bad_token";

const { name, version } = createRequire(import.meta.url)("../../package.json");

/** @typedef {import("./connection.mjs").Dispatch} Dispatch */

/**
 * Makes this process a worker of the core: connects, and leaves in order.
 *
 * A worker that the core started ends with the core. Any other connects again. SIGTERM drains: no new requests come, and those in
 * hand are finished. A `drain` of the core does the same, and the program hears it as a SIGTERM (ProcessEnd). An uncaught exception
 * fails all requests in hand, since it may belong to any of them, and ends the process, as it would without this package. The core
 * then starts another. One that only tells of the end of a request is logged: it belongs to that one, and clients bring it about.
 */
export class Worker {
  #environment;
  #concurrency;
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
  #processEnd = new ProcessEnd(() => this.#askedToLeave());
  #onTurnedAway;
  #readyFile;

  /**
   * @param {object} options
   * @param {number} [options.concurrency] requests at once, unless the operator chose a number
   * @param {import("./environment.cjs").Environment} [options.environment] where it has been read already
   * @param {() => void} [options.onTurnedAway] called where another process is this worker already; without it this process ends
   */
  constructor({ concurrency, environment = takeEnvironment(), onTurnedAway }) {
    this.#environment = environment;
    this.#concurrency = environment.concurrency ?? concurrency ?? DEFAULT_CONCURRENCY;
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

  /** Finishes the requests in hand, and ends the process. */
  drain() {
    const already = this.#leaving;
    this.#leaving = true;
    this.#readyFile.remove();
    if (!this.#connection) this.#exit();
    else if (!already) this.#connection.drain();
  }

  /** Finishes the requests in hand. The program, which has closed what it served with, ends the process. */
  leave() {
    this.#processEnd.leaveToProgram();
    this.drain();
  }

  /** Calls back when the last response has left, and waits for the promise before the process ends. @param {() => unknown} leave */
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
    const connection = new Connection(
      socket,
      hello,
      this.#concurrency,
      (request, from) => this.#dispatch?.(request, from),
      {
        welcomed: (welcomed) => this.#welcomed(welcomed),
        refused: (code, message) => this.#refusedWith(code, message),
        drained: () => this.#drained(),
        ended: (error) => this.#ended(error),
      },
    );
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
    this.#tellCapacity(connection);
  }

  /** @param {Connection} connection */
  #tellCapacity(connection) {
    connection.capacity(this.#concurrency, this.#spawned ? undefined : process.memoryUsage.rss());
  }

  #tellMemory() {
    if (this.#connection && this.#dispatch && !this.#leaving) this.#tellCapacity(this.#connection);
  }

  /** Node says where a debugger can connect, but not to which of several workers. */
  #tellDebugger() {
    const place = debuggerUrl();
    if (place) console.error(`handoff: ${this.#environment.name ?? "this worker"} has the debugger: ${place}`);
  }

  /** Called when the core sends no more requests. A worker that was started by hand outlives the core. */
  #drained() {
    this.#readyFile.remove();
    if (!this.#spawned || this.#leaving) return;
    this.#leaving = true;
    this.#processEnd.tell();
  }

  /** @param {string} code @param {string} message */
  #refusedWith(code, message) {
    if (code === NOT_OURS && this.#spawned && this.#onTurnedAway) {
      this.#turnedAway = true;
      this.#processEnd.revoke();
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
    } else if (isFull(error)) {
      setTimeout(() => this.#connect(), FULL_MILLIS * Math.random());
    } else if (this.#spawned) {
      if (!this.#refused) this.#complain(error ? `${socket}: ${whyEnded(error, socket)}` : "the core is gone");
      this.#exitCode = 1;
      if (!this.#refused) this.#processEnd.tell();
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

  /** Logs a complaint once, however often the worker tries again. @param {string} complaint @param {boolean} [refused] */
  #complain(complaint, refused = false) {
    this.#refused ||= refused;
    if (complaint === this.#lastComplaint) return;
    this.#lastComplaint = complaint;
    console.error(`handoff: ${complaint}${this.#spawned ? "" : "; trying again"}`);
  }

  #askedToLeave() {
    if (this.#leaving && !this.#spawned) this.#processEnd.exitNow(1); // asked twice
    this.drain();
  }

  #onInterrupt = () => {
    // Ctrl-C reaches all processes of the terminal, and the core drains its workers itself.
    if (!this.#spawned) this.#askedToLeave();
  };

  /** @param {unknown} error @param {string} origin */
  #onUncaught = (error, origin) => {
    if (process.listenerCount("uncaughtException") > 1) return; // the program handles this itself
    if (tellsOfTheEnd(error)) return failures.unhandled(error);
    console.error(`handoff: ${origin}, so this worker ends:`, shortTrace(error));
    this.#exitCode = 1;
    if (!this.#connection) return this.#processEnd.exitNow(1);
    this.#connection.failAll(error);
    this.drain();
    setTimeout(() => this.#processEnd.exitNow(1), CRASH_MILLIS);
  };

  async #exit() {
    try {
      for (const leave of this.#leave ?? []) await leave();
    } catch (error) {
      console.error("handoff: closing failed:", shortTrace(error));
      this.#exitCode = 1;
    }
    this.#leave = undefined;
    this.#processEnd.end(this.#exitCode);
  }
}

/** Whether others wait for the core so that there is no place: Node does not wait for one. @param {Error | undefined} error */
function isFull(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code === "EAGAIN";
}

/** @param {Error | undefined} error @param {string} socket */
function whyEnded(error, socket) {
  if (!error) return "the core ended the connection";
  const isDenied = /** @type {NodeJS.ErrnoException} */ (error).code === "EACCES";
  return isDenied ? `${error.message}; ${socketAdvice(socket)}` : error.message;
}
