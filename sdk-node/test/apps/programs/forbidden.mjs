// Answers what HTTP forbids, each by its path: node:http itself throws for some of it, and would send the rest.
import http from "node:http";

const responses = {
  "/value": (response) => response.setHeader("x-a", "b\r\nx-injected: 1"),
  "/raw-value": (response) => response.writeHead(200, ["x-a", "5 €"]),
  "/raw-name": (response) => response.writeHead(200, { "x a": "b" }),
  "/reason": (response) => response.writeHead(200, "OK\r\nx-injected: 1"),
  "/status-600": (response) => response.writeHead(600),
  "/status-101": (response) => {
    response.statusCode = 101;
  },
};

function respond(request, response) {
  responses[request.url.split("?")[0]](response);
  response.end("text");
}

http
  .createServer((request, response) => {
    if (request.url.endsWith("?later")) setImmediate(respond, request, response);
    else respond(request, response);
  })
  .listen(3000);
