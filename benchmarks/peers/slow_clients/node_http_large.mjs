// Like node_http_hello.mjs, but for `/large`, which answers with more than a slow reader ever takes.
import http from "node:http";

const type = { "content-type": "text/plain" };
const large = Buffer.alloc(256 * 1024, "x");

http
  .createServer((request, response) => {
    const body = request.url === "/large" ? large : "hello\n";
    response.writeHead(200, { ...type, "content-length": body.length }).end(body);
  })
  .listen(Number(process.argv[2]), "127.0.0.1");
