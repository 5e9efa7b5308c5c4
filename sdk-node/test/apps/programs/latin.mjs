// Sets a field that is not ASCII, before content of the kind that its path names.
import http from "node:http";

const content = { "/text": "text", "/bytes": Buffer.from("text"), "/nothing": undefined };

http
  .createServer((request, response) => {
    response.setHeader("x-latin", "é");
    response.end(content[request.url]);
  })
  .listen(3000);
