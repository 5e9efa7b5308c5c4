// Handlers that keep their target in an AsyncLocalStorage, and tell what they find there. Its word is their kind.
import { AsyncLocalStorage } from "node:async_hooks";
import { serve, serveNode } from "handoff-worker";

const LONG_BYTES = 1_000_000;
const LARGE_BYTES = 100_000;
const kept = new AsyncLocalStorage();

/** What is there already. Others that find this have looked into somebody else's. @param {string} target */
function enter(target) {
  const found = `${kept.getStore()}`;
  kept.enterWith(target);
  return found;
}

/** Never responds, and tells what is there when nobody waits any more. @param {string} target @param {AbortSignal} signal */
function waitForAbort(target, signal) {
  console.log(`${target} waits.`);
  signal.addEventListener("abort", () => console.log(`${target}: abort ${enter(target)}.`));
  return new Promise(() => {});
}

function listener(request, response) {
  const { url } = request;
  if (url.startsWith("/enter/")) response.end(enter(url));
  else if (url === "/left") request.on("close", () => console.log("left."));
  else kept.run(url, () => respond(url, response));
}

function respond(target, response) {
  const tell = (event) => () => console.log(`${target}: ${event} ${kept.getStore()}.`);
  for (const event of ["finish", "close", "drain"]) response.on(event, tell(event));
  const [, what] = target.split("/");
  if (what === "whole") {
    response.write("a", tell("written"));
    response.end("b", tell("ended"));
  } else if (what === "long") {
    setTimeout(() => {
      console.log(`${target} ends.`);
      response.end(Buffer.alloc(LONG_BYTES));
    }, 1);
  } else {
    response.write(Buffer.alloc(LARGE_BYTES), tell("written"));
    response.once("drain", () => response.end(tell("ended")));
  }
}

const [, , kind] = process.argv;
if (kind === "node") serveNode(listener);
else if (kind === "fetch") {
  serve({
    fetch(request, { target }) {
      return target.startsWith("/abort/") ? waitForAbort(target, request.signal) : new Response(enter(target));
    },
  });
} else {
  serve(
    ({ target, signal }) => (target.startsWith("/abort/") ? waitForAbort(target, signal) : { body: enter(target) }),
    { websocket: { message: (socket, message) => socket.send(enter(message)) } },
  );
}
