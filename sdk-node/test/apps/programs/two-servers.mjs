// An application, the same once more on the other address of localhost, and a server for somebody else.
import http from "node:http";

const application = http.createServer((_request, response) => response.end("application"));
const again = http.createServer((_request, response) => response.end("never asked"));
const metrics = http.createServer((_request, response) => response.end("metrics"));
application.listen(3000, "127.0.0.1");
again.listen(3000, "::1", () => console.log(`again: ${again.listening}`));
metrics.listen(0, "127.0.0.1", () => console.log(`metrics on ${metrics.address().port}.`));
