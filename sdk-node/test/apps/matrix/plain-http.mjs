// What a program may do with node:http itself.
import http from "node:http";
import { pipeline } from "node:stream/promises";

/** In the order of each object; between the two it is nobody's promise. */
const events = { request: [], response: [] };

function record(name, request, response) {
  for (const event of ["data", "end", "close", "error", "aborted"]) {
    request.on(event, () => events.request.push(`${name} ${event}`));
  }
  for (const event of ["finish", "prefinish", "close", "error"]) {
    response.on(event, () => events.response.push(`${name} ${event}`));
  }
}

const routes = {
  "/": (_request, response) => response.end("root"),
  "/write-head": (_request, response) =>
    response.writeHead(201, "Made", { "X-One": "1", "X-List": ["a", "b"], "X-Number": 5 }).end("made"),
  "/write-head-flat": (_request, response) => response.writeHead(200, ["X-One", "1", "X-Two", "2"]).end("flat"),
  "/merged": (_request, response) => {
    response.setHeader("X-Set", "1").setHeader("Set-Cookie", ["a=1", "b=2"]);
    response.writeHead(200, { "X-Set": "2", "X-Head": "3" }).end("merged");
  },
  "/raw-names": (_request, response) => {
    response.setHeader("X-MiXed", "a");
    response.appendHeader("x-mixed", "b");
    response.end(
      JSON.stringify([
        response.getHeader("x-mixed"),
        response.getHeaderNames(),
        response.getRawHeaderNames(),
        response.hasHeader("X-mixed"),
      ]),
    );
  },
  "/encodings": (_request, response) => {
    response.write("c3a4", "hex");
    response.write("ä", "latin1");
    response.end("4g==", "base64");
  },
  "/interim": (_request, response) => {
    response.writeContinue();
    response.writeProcessing();
    response.writeEarlyHints({ link: "</a.css>; rel=preload" });
    response.end("after interim responses");
  },
  "/trailers": (_request, response) => {
    response.writeHead(200, { Trailer: "X-Sum" });
    response.write("with trailers");
    response.addTrailers({ "X-Sum": "1" });
    response.end();
  },
  "/flushed": (_request, response) => {
    response.flushHeaders();
    setImmediate(() => response.end(String(response.headersSent)));
  },
  "/204": (_request, response) => response.writeHead(204).end("dropped"),
  "/304": (_request, response) => response.writeHead(304, { etag: '"1"' }).end("dropped"),
  "/length": (_request, response) => response.writeHead(200, { "content-length": 5 }).end("12345"),
  "/events-of-get": (request, response) => {
    record("get", request, response);
    response.end("x");
  },
  "/events-of-post": async (request, response) => {
    record("post", request, response);
    for await (const chunk of request) response.write(chunk);
    response.end();
  },
  "/pipeline": (request, response) => pipeline(request, response),
  "/properties": (request, response) => {
    const { httpVersion, method, url, complete, trailers, headersDistinct, aborted } = request;
    const { statusCode, finished, writableEnded, headersSent, sendDate } = response;
    const { encrypted, remoteAddress, remoteFamily, readable, writable } = request.socket;
    const socket = {
      encrypted,
      remoteAddress,
      remoteFamily,
      readable,
      writable,
      same: request.socket === response.socket,
    };
    response.end(
      JSON.stringify({
        httpVersion,
        method,
        url,
        trailers,
        headersDistinct,
        aborted,
        statusCode,
        finished,
        writableEnded,
        headersSent,
        sendDate,
        socket,
        complete: typeof complete,
      }),
    );
  },
  "/events": (_request, response) => response.end(JSON.stringify(events)),
};

const server = http.createServer((request, response) => {
  const route = routes[request.url.split("?")[0]];
  if (route) route(request, response);
  else response.writeHead(404).end();
});
server.listen({ port: 0, host: "127.0.0.1" }, () => console.log(`listening on ${server.address().port}.`));
