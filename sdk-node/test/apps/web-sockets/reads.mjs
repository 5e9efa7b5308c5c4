// Reads the socket of an upgrade by itself, and handles no error, as a program may where clients only end.
import { createHash } from "node:crypto";
import http from "node:http";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";

const READERS = {
  "/for-await": async (socket) => {
    for await (const _ of socket);
  },
  "/pipeline": (socket) => pipeline(socket, new PassThrough().resume()),
};

const server = http.createServer((_request, response) => response.end(`${process.pid}`));
server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1")
    .update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on("close", () => console.log(`${request.url} closed.`));
  READERS[request.url](socket).then(() => console.log(`${request.url} read to its end.`));
});
server.listen(0);
