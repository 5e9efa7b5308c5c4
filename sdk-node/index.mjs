import { listener } from "./src/node/listener.mjs";
import { dispatchOf, serveAs } from "./src/serve.mjs";

export { events } from "./src/plain/events.mjs";

/** @param {any} handler @param {import("./index.d.ts").FetchOptions & import("./index.d.ts").WebSocketOptions & { requestBody?: "stream" }} [options] @returns {import("./index.d.ts").Serving} */
export function serve(handler, options) {
  return serveAs(handler, options, (application) => dispatchOf(application, options));
}

/** @type {typeof import("./index.d.ts").serveNode} */
export function serveNode(application, options) {
  return serveAs(application, options, (made) => {
    if (typeof made !== "function") {
      throw new TypeError(
        "serveNode() takes a function of (req, res): an Express app, koa.callback(), or fastify.routing after fastify.ready()",
      );
    }
    return listener(made);
  });
}
