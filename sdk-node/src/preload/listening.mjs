import { createRequire } from "node:module";
import net from "node:net";
import { CoreHandle } from "../node/core-handle.mjs";
import { listener } from "../node/listener.mjs";

const require = createRequire(import.meta.url);

/** @typedef {import("../worker.mjs").Worker} Worker */

/**
 * Lets http.Server.listen() take its requests from the core. The first server that listens on a TCP port is the application:
 * its `request` event gets them all. Another one on the same port (Fastify opens one for each address of localhost) only
 * believes that it listens. Servers on other ports (metrics, perhaps) and those on paths really listen, as do all that are
 * not of node:http.
 *
 * @param {() => Worker} startWorker
 */
export function serveWhatListens(startWorker) {
  const listen = net.Server.prototype.listen;
  /** @type {number | undefined} */
  let taken;
  net.Server.prototype.listen = /** @type {typeof listen} */ (
    /** @this {any} @param {any[]} args */
    function (...args) {
      const port = portIn(args);
      if (!isHttp(this) || port === undefined || (taken !== undefined && port !== taken)) {
        return listen.apply(this, /** @type {any} */ (args));
      }
      if (this.listening) throw new Error("listen() was called twice without close()");
      const application = taken === undefined;
      taken = port;
      pretend(this, port, args, application ? serveBy(this, startWorker()) : () => {});
      return this;
    }
  );
}

/** node:http is loaded only when something listens. @param {any} server */
function isHttp(server) {
  return server instanceof require("node:http").Server;
}

/** The port of listen(port), listen({ port }) or listen(); undefined for a path, a handle or a descriptor. @param {any[]} args */
function portIn([first]) {
  if (first === undefined || first === null || typeof first === "function") return 0;
  const port = typeof first === "object" ? (first.path === undefined ? (first.port ?? undefined) : undefined) : first;
  return port !== "" && Number.isInteger(Number(port)) ? Number(port) : undefined;
}

/** @param {any} server @param {Worker} worker */
function serveBy(server, worker) {
  worker.open(
    listener((request, response) => {
      server.emit("request", request, response);
    }),
  );
  return () => {
    server._connections++; // holds its close event back
    worker.onLeave(() => {
      server._connections--;
      server._emitCloseIfDrained();
    });
    worker.drain();
  };
}

/** @param {any} server @param {number} port @param {any[]} args @param {() => void} closed */
function pretend(server, port, args, closed) {
  const callback = args.at(-1);
  if (typeof callback === "function") server.once("listening", callback);
  server._handle = new CoreHandle(port, closed);
  process.nextTick(() => {
    if (server._handle) server.emit("listening");
  });
}
