// Leaves as many programs do: closes its server, then what it used, then ends by itself.
import http from "node:http";

let slow;
const server = http.createServer((request, response) => {
  if (request.url === "/slow") slow = response;
  response.on("close", () => console.log(`closed ${request.url}: ${response.writableFinished}`));
  if (request.url === "/slow") console.log("slow begun");
  else response.end("quick");
});
server.listen(8000, () => console.log(`process ${process.pid}.`));

process.on("SIGTERM", () => {
  server.close((error) => {
    console.log(`server closed: ${error ?? "in order"}`);
    process.exit(0);
  });
  slow?.end("slow response");
});
