// node:http, whose parser is llhttp: says in a field of its answer which request it saw, its parts in hex.

import { createHash } from "node:crypto";
import http from "node:http";

const hex = (text) => Buffer.from(text, "latin1").toString("hex");

const shown = (body) =>
  body.length <= 1024 ? body.toString("hex") : `${body.length}:${createHash("sha256").update(body).digest("hex")}`;

/** The requests of each socket that have no answer yet. */
const unanswered = new WeakMap();
/** The error at which the parser of a socket stopped, until it is told. */
const failed = new WeakMap();

/** Tells the error, once every complete request before it has its answer: the parser is ahead of the application. */
function tellError(socket) {
  const error = failed.get(socket);
  if (!error || !socket.writable || [...(unanswered.get(socket) ?? [])].some((request) => request.complete)) {
    return;
  }
  const reason = `${error.code} ${error.reason ?? error.message}`.replaceAll(/[^ -~]/g, "?");
  socket.end(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nRefused: ${reason}\r\nContent-Length: 0\r\n\r\n`);
}

const server = http.createServer((request, response) => {
  const { socket } = request;
  const waiting = unanswered.get(socket) ?? new Set();
  unanswered.set(socket, waiting.add(request));
  const parts = [];
  request.on("data", (part) => parts.push(part));
  // An incomplete request: its socket's error tells why.
  request.on("error", () => {});
  request.on("end", () => {
    const echo = `${hex(request.method)}.${hex(request.url)}.${shown(Buffer.concat(parts))}`;
    response.writeHead(200, { Echo: echo, "Content-Length": 0 }).end();
  });
  response.on("finish", () => {
    waiting.delete(request);
    tellError(socket);
  });
});
// The client ends its output behind its requests, and still wants the answers.
server.httpAllowHalfOpen = true;
// It never closes for lack of time, which the client could not tell from another reason.
server.keepAliveTimeout = server.headersTimeout = server.requestTimeout = 0;

function fail(socket, error) {
  if (!failed.has(socket)) {
    failed.set(socket, error);
    tellError(socket);
  }
}

server.on("clientError", (error, socket) => fail(socket, error));
// For llhttp HTTP ends with such a request, whatever the application makes of it; without these, what follows would be lost.
server.on("upgrade", (_request, socket) => fail(socket, { code: "UPGRADE", message: "another protocol follows" }));
server.on("connect", (_request, socket) => fail(socket, { code: "CONNECT", message: "a tunnel follows" }));
server.listen(0, "127.0.0.1", () => console.log(`port ${server.address().port}`));
