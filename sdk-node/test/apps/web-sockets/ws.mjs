// Echoes with `ws`, as its README has it, at paths that do what an application can do.
import http from "node:http";
import { WebSocketServer } from "ws";

const server = http.createServer((_request, response) => response.end("page\n"));
const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: 16 << 20,
  perMessageDeflate: true,
  handleProtocols: (offered) => (offered.has("chat") ? "chat" : false),
});

server.on("upgrade", (request, socket, head) => {
  socket.on("error", (error) => console.log(`socket error ${error.message}`));
  if (request.url === "/refused") {
    socket.write("HTTP/1.1 401 Unauthorized\r\n\r\n");
    socket.destroy();
    return;
  }
  sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit("connection", webSocket, request));
});

sockets.on("connection", (webSocket, request) => {
  webSocket.on("error", (error) => console.log(`error ${error.message}`));
  webSocket.on("close", (code, reason) => console.log(`closed ${code} ${reason}`));
  webSocket.on("pong", (payload) => console.log(`pong ${payload}`));
  if (request.url === "/closes") webSocket.close(4002, "enough");
  if (request.url === "/terminates") webSocket.terminate();
  if (request.url === "/pings") webSocket.ping("there");
  if (request.url === "/floods") flood(webSocket);
  webSocket.on("message", (data, isBinary) => webSocket.send(data, { binary: isBinary }));
});

function flood(webSocket) {
  webSocket.send(Buffer.alloc(64 * 1024), (error) => {
    if (error) console.log("flood ended");
    else flood(webSocket);
  });
}

server.listen(Number(process.env.PORT ?? 3000));
