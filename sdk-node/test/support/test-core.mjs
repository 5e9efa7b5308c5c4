import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FrameReader } from "../../src/protocol/frame-reader.mjs";
import { Process, withResolvers } from "./process.mjs";

const PRELOAD = fileURLToPath(new URL("../../src/preload/every-process.cjs", import.meta.url));
const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 1 << 20 };
/** Those of a core that takes responses in pieces. */
export const STREAMING = { ...LIMITS, streamBytes: 64 * 1024 };

/** The test as the core: says to a real worker what a core would say at the worst moment, and sees each frame that it sends. */
export class TestCore {
  /** What the worker sent and nobody has awaited. @type {any[]} */
  messages = [];
  #waiting = [];
  #path;
  #server;
  #socket;
  /** The window that the worker told last, which it tells again with its memory every ten seconds. */
  #window;

  /** @param {import("node:test").TestContext} context */
  constructor(context) {
    const folder = mkdtempSync(join(tmpdir(), "handoff-test-"));
    this.#path = join(folder, "core.sock");
    this.#server = net.createServer((socket) => this.#accept(socket)).listen({ path: this.#path, backlog: 16 });
    context.after(() => {
      this.#socket?.destroy();
      this.#server.close();
      rmSync(folder, { recursive: true });
    });
  }

  /** Starts a worker, as spawned by this core unless the token is undefined. */
  start(context, program, { token = "secret", environment = {}, words = [] } = {}) {
    const env = { ...process.env, HANDOFF_SOCKET: this.#path, ...environment };
    if (token) env.HANDOFF_TOKEN = token;
    return new Process(context, [process.execPath, program, ...words], { env });
  }

  /** Takes every place in which connections wait, and nobody from there for some time; calls meanwhile. @param {() => unknown} call */
  fullFor(context, millis, call) {
    const others = Array.from({ length: 100 }, () => net.connect(this.#path).on("error", () => {}));
    const result = call();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);
    context.after(() => others.map((other) => other.destroy()));
    return result;
  }

  /** Starts a program that knows nothing of Handoff, as one of the processes of a command. */
  startUnchanged(context, program, { environment = {}, ...how } = {}) {
    return this.start(context, program, {
      ...how,
      environment: { NODE_OPTIONS: `--require=${PRELOAD}`, ...environment },
    });
  }

  /** Shakes hands, and returns the worker's hello, the window it opens and the memory it tells. With `streamBytes` it takes pieces. */
  async welcome(limits = LIMITS, features = "streamBytes" in limits ? ["streams"] : undefined) {
    const hello = await this.next();
    this.send({ type: "welcome", protocol: 1, worker: "w", limits, server: "test", features });
    const { concurrency, memoryBytes } = await this.next();
    return { hello, concurrency, memoryBytes };
  }

  send(message, body = "") {
    const json = Buffer.from(JSON.stringify(message));
    const lengths = Buffer.alloc(8);
    lengths.writeUInt32BE(json.length);
    lengths.writeUInt32BE(Buffer.byteLength(body), 4);
    this.#socket.write(Buffer.concat([lengths, json, Buffer.from(body)]));
  }

  request(id, target = "/", more = {}, body = "") {
    const head = { type: "request", id, timeoutMillis: 30_000, method: "GET", target, version: "1.1" };
    this.send({ ...head, headers: [["host", "localhost"]], client: "127.0.0.1:1234", ...more }, body);
  }

  /** Has the worker read in one turn what is sent meanwhile. @param {() => void} send */
  together(send) {
    this.#socket.cork();
    send();
    this.#socket.uncork();
  }

  /** The next frame of the worker. `{ type: "end" }` is the end of its connection. */
  next() {
    if (this.messages.length > 0) return Promise.resolve(this.messages.shift());
    const { promise, resolve } = withResolvers();
    this.#waiting.push(resolve);
    return promise;
  }

  /** Takes no bytes of the worker until `resume`. */
  pause() {
    this.#socket.pause();
  }

  resume() {
    this.#socket.resume();
  }

  /** Turns the worker away, and ends its connection. */
  refuse(code, message) {
    this.send({ type: "refused", code, message });
    this.end();
  }

  /** Ends the connection as a core does that has nothing more to say. */
  end() {
    this.#socket.end();
  }

  #accept(socket) {
    this.#socket = socket;
    this.#window = undefined;
    const reader = new FrameReader((json, body) => this.#take({ ...JSON.parse(json), body: body.toString() }));
    reader.limits = { jsonBytes: 1 << 20, bodyBytes: 64 << 20 };
    socket.on("data", (chunk) => reader.read(chunk, chunk.length));
    socket.on("error", () => {});
    socket.on("close", () => this.#take({ type: "end" }));
  }

  #take(message) {
    if (message.type === "capacity") {
      if (message.concurrency === this.#window) return;
      this.#window = message.concurrency;
    }
    const waiting = this.#waiting.shift();
    if (waiting) waiting(message);
    else this.messages.push(message);
  }
}
