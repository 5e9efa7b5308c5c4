// Preloaded into somebody else's tests: every request that an http.Server of theirs gets is taken apart to what the core would
// hand over, and answered by way of our request and response.
import http from "node:http";
import { NodeExchange } from "../../src/node/exchange.mjs";
import { PlainRequest } from "../../src/protocol/plain-request.mjs";
import { ResponseStream } from "../../src/protocol/response-stream.mjs";

const OF_THE_CONNECTION = new Set(["connection", "keep-alive", "transfer-encoding", "expect", "upgrade", "te"]);
const LIMITS = { jsonBytes: 1 << 20, bodyBytes: 32 << 20, streamBytes: 64 << 10 };
let lastId = 0;

const emit = http.Server.prototype.emit;

http.Server.prototype.emit = function (event, ...subjects) {
  if (event !== "request") return emit.call(this, event, ...subjects);
  const [request, response] = subjects;
  whole(request).then(
    (body) =>
      this.listening &&
      handOver(request, body, new ClientSide(request, response), (...pair) => emit.call(this, "request", ...pair)),
    () => {}, // the client has left
  );
  return true;
};

async function whole(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function handOver({ method, url, httpVersion, rawHeaders, socket }, body, client, listener) {
  const headers = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (!OF_THE_CONNECTION.has(name)) headers.push([name, rawHeaders[i + 1]]);
  }
  if (body.length > 0 && !headers.some(([name]) => name === "content-length"))
    headers.push(["content-length", String(body.length)]);
  const peer = `${socket.remoteAddress}:${socket.remotePort}`;
  const head = {
    id: ++lastId,
    timeoutMillis: 30_000,
    method,
    target: url,
    version: httpVersion,
    tail: { headers, client: peer },
  };
  const exchange = new NodeExchange(new PlainRequest(head, body), client);
  listener(exchange.incoming, exchange.response);
}

/** The connection of one request, whose responses go to a response of node:http's own. */
class ClientSide {
  limits = LIMITS;
  #response;
  #request;
  #open = false;
  #stream;

  constructor(request, response) {
    this.#response = response;
    request.socket.once("close", () => {
      const isOpen = this.#open || this.#stream !== undefined;
      this.#stream?.close();
      if (isOpen && this.#request) PlainRequest.cancel(this.#request, "client_gone");
    });
  }

  begin(request) {
    this.#request = request;
    this.#open = true;
  }

  settle() {
    const open = this.#open || this.#stream !== undefined;
    this.#open = false;
    this.#stream?.close();
    return open;
  }

  abandon() {
    if (this.settle()) this.#response.destroy();
  }

  mayStream() {
    return true;
  }

  atTurnEnd(unfinished) {
    setImmediate(() => unfinished.turnEnds());
  }

  /** Grants what node:http has taken. */
  stream(request, status, reason, headers, content) {
    if (!this.settle()) return undefined;
    const fields = JSON.parse(headers).filter(([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()));
    this.#response.writeHead(status, reason, fields.flat()).flushHeaders();
    const outlet = {
      send: (json, body) => {
        if (body.length > 0) this.#response.write(Buffer.from(body), () => stream.grant(body.length));
        if (JSON.parse(json).more !== true) this.#response.end();
      },
      afterFlush: (flushed) => this.afterFlush(flushed),
      takesPieces: true,
      awaitTurn: () => {},
    };
    const stream = new ResponseStream(request, LIMITS, outlet, () => {
      this.#stream = undefined;
    });
    this.#stream = stream;
    stream.begin('{"more":true}', content);
    return stream;
  }

  answer(_request, status, reason, headers, body) {
    const fields = JSON.parse(headers).filter(
      ([name]) => !OF_THE_CONNECTION.has(name.toLowerCase()) && name.toLowerCase() !== "content-length",
    );
    const flat = fields.flat();
    if (status !== 204 && status !== 304 && this.#request.method !== "HEAD")
      flat.push("content-length", String(Buffer.byteLength(body)));
    this.#response.writeHead(status, reason, flat).end(body);
  }

  fail(_request, error) {
    console.error(error);
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(500).end();
  }

  afterFlush(flushed) {
    setImmediate(flushed);
  }
}
