const http = require("node:http");

// Only as the program itself, as many modules do it.
if (require.main === module) {
  const server = http.createServer((request, response) => response.end(`main ${request.url}`));
  server.listen(3000, () => console.log(`told port ${server.address().port}`));
}
