// Whole responses of a chosen size. Its word is the kind of the handler, and whether it is asynchronous; the target says what to do.
import { serve, serveNode } from "handoff-worker";

const [, , kind, isLater] = process.argv;

process.once("SIGTERM", () => console.log("leaving."));

/** @param {string} target */
function body(target) {
  const [, what, word] = target.split("/");
  console.log(`begun ${target}.`);
  return what === "long" ? Buffer.alloc(Number(word), "x") : "small";
}

/** Never responds, and tells when its client leaves. */
function wait(signal) {
  signal.onabort = () => console.log("aborted.");
  return new Promise(() => {});
}

/** The response, or a promise of it. */
const made = (response) => (isLater ? Promise.resolve(response) : response);

if (kind === "node") {
  serveNode((request, response) => {
    if (request.url === "/wait") request.on("close", () => console.log("aborted."));
    else if (isLater) process.nextTick(() => response.end(body(request.url)));
    else response.end(body(request.url));
  });
} else if (kind === "fetch") {
  serve({
    fetch(request) {
      const { pathname } = new URL(request.url);
      return pathname === "/wait" ? wait(request.signal) : made(new Response(body(pathname)));
    },
  });
} else {
  serve((request) => (request.target === "/wait" ? wait(request.signal) : made({ body: body(request.target) })));
}
