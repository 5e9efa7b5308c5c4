// Tells what it sees of a client that leaves, and closes connections itself.
import http from "node:http";

const server = http.createServer((request, response) => {
  if (request.url === "/destroys") {
    request.socket.destroy();
    return;
  }
  if (request.url === "/throws") throw new Error("thrown");
  for (const [name, emitter] of Object.entries({ request, response, socket: request.socket })) {
    emitter.on("close", () => console.log(`${name} closed`));
  }
  request.on("aborted", () => console.log("request aborted"));
  console.log("waiting");
});
server.listen(3000);
