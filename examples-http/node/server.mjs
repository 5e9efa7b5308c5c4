// An HTTP server as Node has it, for "handoff run --http". It knows nothing of Handoff but PORT.
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

async function echo(request, response) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  response.setHeader("Echo-Method", request.method);
  response.setHeader("Echo-Target", request.url);
  response.setHeader("Echo-Client", request.headers["x-forwarded-for"]);
  response.end(Buffer.concat(pieces));
}

async function clock(response) {
  response.setHeader("Content-Type", "text/event-stream");
  while (!response.destroyed) {
    response.write(`data: ${new Date().toTimeString().slice(0, 8)}\n\n`);
    await pause(1000);
  }
}

createServer((request, response) => {
  // A client that leaves breaks its request off.
  if (request.url.startsWith("/echo")) echo(request, response).catch(() => response.destroy());
  else if (request.url === "/clock") clock(response);
  else response.end("hello\n");
}).listen(process.env.PORT, "127.0.0.1");
