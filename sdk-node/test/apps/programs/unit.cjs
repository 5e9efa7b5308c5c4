// As the documentation of NGINX Unit has it.
const { createServer, IncomingMessage, ServerResponse } = require("unit-http");

createServer({ IncomingMessage, ServerResponse }, (request, response) => {
  response.end(`unit ${request.url}`);
}).listen();
