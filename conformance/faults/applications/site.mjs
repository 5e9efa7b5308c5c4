// The application of the faults, for node:http: content made from a key, the checksum of an upload, a small response. site.py is its twin.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout } from "node:timers/promises";
import { WebSocketServer } from "ws";

/** As in content.py, which says what the content is. */
const BLOCK_BYTES = 65_521;

/** The content and its checksum. */
async function* pieces(key, length, piece, pause) {
  const once = createHash("shake256", { outputLength: BLOCK_BYTES }).update(key).digest();
  const block = Buffer.concat([once, once]);
  const digest = createHash("sha256");
  for (let begin = 0; begin < length; begin += piece) {
    const offset = begin % BLOCK_BYTES;
    const part = block.subarray(offset, offset + Math.min(piece, length - begin));
    digest.update(part);
    yield part;
    if (pause > 0) await setTimeout(pause);
  }
  yield digest.digest("hex");
}

async function respond(request, response) {
  const asked = new URL(request.url, "http://a").searchParams;
  const key = asked.get("key");
  if (request.method === "POST") {
    const digest = createHash("sha256");
    let size = 0;
    for await (const part of request) {
      digest.update(part);
      size += part.length;
    }
    response.end(`${key} ${size} ${digest.digest("hex")}`);
  } else if (asked.has("length")) {
    const [length, piece, pause] = ["length", "piece", "pause"].map((name) => Number(asked.get(name)));
    if (asked.get("framing") === "length") response.setHeader("content-length", length + 64);
    await pipeline(Readable.from(pieces(key, length, piece, pause), { objectMode: false }), response);
  } else {
    response.end(key);
  }
}

const server = createServer((request, response) => {
  respond(request, response).catch(() => response.destroy()); // the client has left
});
new WebSocketServer({ server }).on("connection", (socket) => {
  socket.on("message", (message) => socket.send(message));
});
server.listen(process.env.PORT);
