import { useLightClasses } from "./fetch/globals.mjs";
import { fetchHandler } from "./fetch/handler.mjs";
import { plainHandler } from "./plain/handler.mjs";
import { isThenable } from "./thenable.mjs";
import { withWebSockets } from "./web-socket/handlers.mjs";
import { Worker } from "./worker/worker.mjs";

/** @typedef {import("./worker/connection.mjs").Dispatch} Dispatch */

/** @type {Worker | undefined} */
let started;

/** Tells the preload that the program has called serve(), also that of another copy of this package. */
const SERVING = Symbol.for("handoff.serving");

/**
 * Makes this process a worker. Throws where it is one already, and for a concurrency that is not a whole number from 1.
 *
 * @param {ConstructorParameters<typeof Worker>[0]} [options]
 */
export function startWorker(options = {}) {
  if (started) throw new Error("this process serves already: one process is one worker, and has one handler");
  const { concurrency } = options;
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency > 0)) {
    throw new TypeError(`concurrency has to be a whole number from 1, not ${concurrency}`);
  }
  started = new Worker(options);
  return started;
}

export function isServing() {
  return started !== undefined;
}

/**
 * Serves an application as soon as it is there. Ends the process with 1 where its promise is rejected.
 *
 * @param {any} application or a promise of one
 * @param {{ concurrency?: number, onClose?: () => unknown } | undefined} options
 * @param {(application: any) => Dispatch} dispatchOf
 */
export function serveAs(application, options, dispatchOf) {
  const dispatch = isThenable(application) ? application.then(dispatchOf) : dispatchOf(application);
  const worker = startWorker({ concurrency: options?.concurrency });
  /** @type {any} */ (process)[SERVING] = true;
  if (options?.onClose) worker.onLeave(options.onClose);
  if (isThenable(dispatch)) {
    dispatch.then(
      (made) => worker.open(made),
      (error) => {
        console.error("handoff: the application did not start:", error);
        process.exit(1);
      },
    );
  } else {
    worker.open(dispatch);
  }
  return { drain: () => worker.drain() };
}

/**
 * Tells the kinds of handlers apart that serve() takes. Throws a TypeError for anything else.
 *
 * @param {any} handler a plain function, or an object with a fetch method
 * @param {{ lightweight?: boolean, requestBody?: unknown, websocket?: unknown, origins?: readonly string[], subprotocols?: readonly string[] }} [options]
 * @returns {Dispatch}
 */
export function dispatchOf(handler, options = {}) {
  const dispatch = dispatchOfRequests(handler, options);
  const websocket = options.websocket ?? (typeof handler.fetch === "function" ? handler.websocket : undefined);
  return websocket === undefined ? dispatch : withWebSockets(dispatch, websocket, options);
}

/** @param {any} handler @param {{ lightweight?: boolean, requestBody?: unknown }} options @returns {Dispatch} */
function dispatchOfRequests(handler, { lightweight = true, requestBody }) {
  if (typeof handler?.fetch === "function") {
    if (lightweight) useLightClasses();
    return fetchHandler((request, info) => handler.fetch(request, info), lightweight);
  }
  if (typeof handler !== "function") {
    throw new TypeError(
      "serve() takes a function or an object with a fetch method; for Express and the like: serveNode(app)",
    );
  }
  if (handler.length > 1) {
    throw new TypeError(
      "serve() takes a function of one request; for one of (req, res), as Express is: serveNode(app)",
    );
  }
  if (requestBody !== undefined && requestBody !== "stream") {
    throw new TypeError(`requestBody is ${requestBody}: it may be "stream", or be left out`);
  }
  return plainHandler(handler, requestBody === "stream");
}
