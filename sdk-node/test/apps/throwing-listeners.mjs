// Listeners that throw, in a program that goes on after that.
import http from "node:http";
import { WebSocketServer } from "ws";

process.on("uncaughtException", (error) => console.log(`uncaught: ${error.message}.`));

const server = http.createServer(({ url }, response) => {
  response.on("finish", () => {
    if (url === "/throws") throw new Error("at finish");
    console.log(`${url}: finish.`);
  });
  if (url === "/later") setTimeout(() => response.end(url), 1);
  else response.end(url);
});

new WebSocketServer({ server }).on("connection", (webSocket) => {
  webSocket.on("message", () => {
    throw new Error("at message");
  });
});

server.listen(Number(process.env.PORT ?? 3000));
