import http from "node:http";

const headers = { "content-type": "text/plain", "content-length": 6 };

http
  .createServer((_request, response) => response.writeHead(200, headers).end("hello\n"))
  .listen(Number(process.argv[2] ?? 0), "127.0.0.1");
