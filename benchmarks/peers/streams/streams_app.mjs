// Events, a gigabyte down and a gigabyte up, for node:http. streams_app.py is its twin. The port is the first argument, or $PORT.
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

const PIECE = Buffer.alloc(65536, "x");

function* pieces(size) {
  for (let left = size; left > 0; left -= PIECE.length) yield left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
}

/** Each event has the time at which it was made, by the clock that all processes share. */
function events(response, pause) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = () => response.write(`data: ${(Number(process.hrtime.bigint()) / 1e9).toFixed(6)}\n\n`);
  const timer = setInterval(send, pause * 1000);
  response.on("close", () => clearInterval(timer));
  send();
}

async function respond(request, response) {
  const [path, query] = request.url.split("?");
  if (path === "/events") {
    events(response, Number(query));
  } else if (path === "/down") {
    response.writeHead(200, { "content-length": query });
    await pipeline(Readable.from(pieces(Number(query)), { objectMode: false }), response);
  } else if (path === "/up") {
    let size = 0;
    for await (const piece of request) size += piece.length;
    response.end(String(size));
  } else {
    response.writeHead(200, { "content-type": "text/plain", "content-length": 6 }).end("hello\n");
  }
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => response.destroy()); // the client has left
});
server.requestTimeout = 0; // node:http's own would end an upload after five minutes
server.listen(Number(process.argv[2] ?? process.env.PORT), "127.0.0.1");
