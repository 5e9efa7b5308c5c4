import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";

const [, , port, tlsPort, certificate, key] = process.argv;
const headers = { "content-type": "text/plain", "content-length": 6 };
const answer = (_request, response) => response.writeHead(200, headers).end("hello\n");

http.createServer(answer).listen(Number(port), "127.0.0.1");
https
  .createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, answer)
  .listen(Number(tlsPort), "127.0.0.1");
