// Closes what it has when it is told to end, as many programs do. Words: "exits" in its handler at once, "closes" its server,
// "lingers" with a timer that nobody ends.
import http from "node:http";

const ways = process.argv.slice(2);
let waiting;
const server = http.createServer((request, response) => {
  if (request.url !== "/wait") return response.end("quick");
  waiting = response;
  console.log("waiting");
});
server.listen(3000);

process.on("SIGTERM", () => {
  console.log("heard SIGTERM.");
  waiting?.end("goodbye");
  if (ways.includes("exits")) process.exit(7);
  if (!ways.includes("closes")) return;
  server.close(() => {
    console.log("server closed.");
    setImmediate(() => console.log("cleaned up."));
  });
});
if (ways.includes("lingers")) setInterval(() => {}, 1000);
