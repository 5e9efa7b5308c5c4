// Sends each message of a WebSocket back, with `ws` on node:http. echo_app.py is its twin. The port is the first argument, or $PORT.
import { createServer } from "node:http";
import { WebSocketServer } from "ws";

const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/plain", "content-length": 6 }).end("hello\n");
});
const sockets = new WebSocketServer({ server });
sockets.on("connection", (socket) => {
  socket.on("message", (message) => socket.send(message));
});
server.listen(Number(process.argv[2] ?? process.env.PORT ?? 3000));
