// A node:http listener whose target says what to do, also after its client has left.
import { setTimeout as sleep } from "node:timers/promises";
import { serveNode } from "handoff-worker";

const wait = [];

serveNode((request, response) => {
  switch (request.url) {
    case "/wait":
      wait.push(response);
      return;
    case "/release":
      for (const waiting of wait.splice(0)) waiting.end("released");
      response.end("done");
      return;
    case "/end-on-close":
      response.on("close", () => response.end("too late"));
      return;
    case "/destroy-on-close":
      response.on("close", () => response.destroy());
      return;
    case "/destroy-socket-on-close":
      response.on("close", () => response.socket.destroy());
      return;
    case "/reject-on-close":
      return new Promise((_, reject) => response.on("close", () => reject(new Error("gave up"))));
    case "/return-on-close":
      return new Promise((resolve) => response.on("close", resolve));
    case "/return-at-once":
      return Promise.resolve();
    case "/end-and-throw":
      response.end("ended");
      return sleep(1).then(() => Promise.reject(new Error("thrown behind the end")));
    default:
      response.end(request.url);
  }
});
