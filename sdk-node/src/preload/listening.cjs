"use strict";

const net = require("node:net");
const path = require("node:path");
const { takeEnvironment } = require("../worker/environment.cjs");
const { ApplicationPort } = require("./application-port.cjs");

/** How long a first server waits whose port neither variable names. Mostly the program's other servers listen by then. */
const SETTLE_MILLIS = 200;

/** Tells copies of this package in one process of each other. */
const LISTENING = Symbol.for("handoff.listening");
/** Set where the program has called serve(). */
const SERVING = Symbol.for("handoff.serving");

const listen = net.Server.prototype.listen;

/** @typedef {import("./application-port.cjs").Place} Place */
/** @typedef {import("../worker/worker.mjs").Worker} Worker */
/** @typedef {{ server: any, place: Place, args: any[], handle: any, isTold: boolean }} Pretended a server that only believes that
 * it listens, and whether it was told that it does */

/** Makes http.Server.listen() take requests from the core. @returns {Listening} the only one of this process */
function serveWhatListens() {
  const shared = /** @type {any} */ (process);
  shared[LISTENING] ??= new Listening();
  return shared[LISTENING];
}

/**
 * The servers of node:http and node:https in this process. ApplicationPort decides which of them is the application: its `request`
 * event gets the requests of the core, and its port is not opened. Another server at the same place only believes that it listens
 * (Fastify opens one for each address of localhost). All other servers really listen, and so does a server of net or tls.
 */
class Listening {
  #choice = new ApplicationPort(process.env);
  /** @type {Pretended[]} */
  #pretended = [];
  /** The server that gets the requests. @type {any} */
  #application;
  /** @type {Promise<Worker> | undefined} */
  #worker;

  constructor() {
    const self = this;
    net.Server.prototype.listen = /** @type {typeof listen} */ (
      /** @this {any} @param {any[]} args */
      function (...args) {
        return self.#listens(this, args) ? this : listen.apply(this, /** @type {any} */ (args));
      }
    );
  }

  /** Whether a server is the application, or may be. */
  get hasApplication() {
    return this.#pretended.length > 0;
  }

  /** @param {any} server @param {any[]} args @returns {boolean} whether it only pretends to listen */
  #listens(server, args) {
    const place = placeIn(args);
    if (place === undefined || !isOfHttp(server) || this.#servesOtherwise) return false;
    if (server.listening) throw new Error("listen() was called twice without close()");
    switch (this.#choice.listens(place, process.uptime() * 1000)) {
      case "open":
        return false;
      case "refuse":
        return refuse([this.#choice.chosen, place], this.#choice.named);
      case "serve":
        this.#pretend(server, place, args);
        for (const other of this.#pretended) if (other.place !== place) this.#open(other);
        this.#serve(server);
        return true;
      case "wait":
        this.#pretend(server, place, args);
        setTimeout(() => this.#settle(server), SETTLE_MILLIS);
        return true;
      case "join":
        this.#pretend(server, place, args);
        return true;
    }
  }

  /** Whether the program has called serve(), so that no server of it is the application. */
  get #servesOtherwise() {
    return SERVING in process && this.#worker === undefined;
  }

  /** @param {any} server */
  #settle(server) {
    if (!this.#choice.settle()) return;
    if (!this.#servesOtherwise && !isPrimary()) return this.#serve(server);
    this.#choice.forget();
    for (const pretended of this.#pretended) this.#open(pretended);
  }

  /** @param {any} server */
  #serve(server) {
    this.#application = server;
    if (isOfTls(server)) {
      tell(
        "the application's own TLS is not used: Handoff speaks HTTP to clients, or to the proxy that has the certificate",
      );
    }
    this.#worker ??= this.#startWorker(takeEnvironment());
  }

  /** @param {import("../worker/environment.cjs").Environment} environment */
  async #startWorker(environment) {
    const [{ startWorker }, { listener }] = await Promise.all([import("../serve.mjs"), import("../node/listener.mjs")]);
    const worker = startWorker({ environment, onTurnedAway: () => this.#turnedAway() });
    worker.open(
      listener(
        (request, response) => this.#application.emit("request", request, response),
        () => this.#application,
      ),
    );
    return worker;
  }

  /** Called where another process of this worker serves already. */
  #turnedAway() {
    if (isClusterWorker()) {
      tell(
        "one worker is one process, and another one of this cluster is it: this one gets no requests. " +
          "'handoff run --workers N' starts more workers",
      );
      return;
    }
    tell(
      `another process of this worker serves already, so this one opens ${this.#pretended.map(describe).join(" and ")} itself. ` +
        "If it is the application, name its port: --app-port (key appPort)",
    );
    for (const pretended of this.#pretended) this.#open(pretended);
  }

  /** @param {any} server @param {Place} place @param {any[]} args */
  #pretend(server, place, args) {
    const { CoreHandle } = require("./core-handle.cjs");
    const callback = args.at(-1);
    if (typeof callback === "function") server.once("listening", callback);
    const handle = new CoreHandle(place, () => this.#closed(server));
    server._handle = handle;
    if (typeof place === "string") server._pipeName = place;
    const pretended = { server, place, args, handle, isTold: false };
    this.#pretended.push(pretended);
    process.nextTick(() => {
      if (server._handle !== handle) return;
      pretended.isTold = true;
      tellPrimary(place);
      server.emit("listening");
    });
  }

  /** Called when a program closes a server that pretends to listen. If it is the application, this worker leaves. @param {any} server */
  #closed(server) {
    this.#pretended = this.#pretended.filter((each) => each.server !== server);
    if (this.#application === server) {
      server._connections++; // holds its close event back
      this.#worker?.then((worker) => {
        worker.onLeave(() => {
          server._connections--;
          server._emitCloseIfDrained();
        });
        worker.leave();
      });
    } else if (this.#application === undefined && this.#pretended.length === 0) {
      this.#choice.forget();
    }
  }

  /** Lets a server really listen, as the program told it to. @param {Pretended} pretended */
  #open({ server, args, handle, isTold }) {
    this.#pretended = this.#pretended.filter((each) => each.server !== server);
    if (server._handle !== handle) return;
    server._handle = null;
    if (isTold) keepFromTellingAgain(server);
    listen.apply(server, /** @type {any} */ (args.filter((arg) => typeof arg !== "function")));
  }
}

/** Suppresses the next `listening` event of a server, which would be the second. @param {any} server */
function keepFromTellingAgain(server) {
  const { emit } = server;
  /** @param {string} event @param {any[]} subjects */
  server.emit = function (event, ...subjects) {
    if (event !== "listening") return emit.call(this, event, ...subjects);
    server.emit = emit;
    return true;
  };
}

/** Whether this is a server of HTTP. Loads node:http only when something listens. @param {any} server */
function isOfHttp(server) {
  return server instanceof require("node:http").Server || isOfTls(server);
}

/** @param {any} server */
function isOfTls(server) {
  return "_sharedCreds" in server && server instanceof require("node:https").Server;
}

/**
 * The place that listen() is told: the port of listen(port), listen({ port }) or listen(); the path of listen(path) or
 * listen({ path }); undefined for a handle or a descriptor.
 *
 * @param {any[]} args
 * @returns {Place | undefined}
 */
function placeIn([first]) {
  if (first === undefined || first === null || typeof first === "function") return 0;
  if (typeof first !== "object") return portIn(first) ?? (typeof first === "string" && first ? first : undefined);
  if (first._handle || first.handle || first.fd !== undefined) return undefined;
  if (first.port !== undefined && first.port !== null) return portIn(first.port);
  return typeof first.path === "string" && first.path ? first.path : undefined;
}

/** @param {unknown} port */
function portIn(port) {
  const number = port === "" ? Number.NaN : Number(port);
  return Number.isInteger(number) && number >= 0 && number < 65_536 ? number : undefined;
}

/** Whether this process is a node:cluster primary, whose workers are the application. */
function isPrimary() {
  return cluster().isPrimary && Object.keys(cluster().workers ?? {}).length > 0;
}

function isClusterWorker() {
  return cluster().isWorker;
}

function cluster() {
  return /** @type {import("node:cluster").Cluster} */ (/** @type {any} */ (require("node:cluster")));
}

/** Tells the primary of node:cluster that this worker listens. @param {Place} place */
function tellPrimary(place) {
  if (!process.send || !isClusterWorker()) return;
  const [address, port, addressType] = typeof place === "number" ? [null, place, 4] : [place, -1, -1];
  process.send({ cmd: "NODE_CLUSTER", act: "listening", address, port, addressType });
}

/** @param {(Place | undefined)[]} places @param {Place | undefined} named @returns {never} */
function refuse(places, named) {
  const all = places.map((place) => describe({ place: /** @type {Place} */ (place) })).join(" and at ");
  const port = places.find((place) => typeof place === "number" && place > 0) ?? "PORT";
  tell(
    `${path.basename(process.argv[1] ?? "the program")} listens at ${all}${named === undefined ? "" : `, and not at $PORT, which is ${named}`}: ` +
      `which is the application? Let it listen at process.env.PORT, or name its port, as in '--app-port ${port}' (key appPort)`,
  );
  return process.exit(1);
}

/** @param {{ place: Place }} pretended */
function describe({ place }) {
  return typeof place === "number" ? `port ${place}` : place;
}

/** @param {string} text */
function tell(text) {
  console.error(`handoff: ${text}`);
}

module.exports = { serveWhatListens, SETTLE_MILLIS };
