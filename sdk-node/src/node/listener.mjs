import { PlainRequest } from "../protocol/plain-request.mjs";
import { isThenable } from "../thenable.mjs";
import { NodeExchange } from "./exchange.mjs";
import { upgrade } from "./upgrade.mjs";

/**
 * Serves a function that was written for the `request` event of node:http.
 *
 * @param {(request: any, response: any) => unknown} handle whatever it throws fails its request
 * @param {() => any} [server] gives the http.Server that the function belongs to
 * @returns {import("../worker/connection.mjs").Dispatch}
 */
export function listener(handle, server = () => undefined) {
  return (request, connection) => {
    if (takesWebSocket(request, server)) {
      upgrade(request, connection, server());
      return;
    }
    const exchange = new NodeExchange(request, connection, server());
    try {
      const promise = handle(exchange.incoming, exchange.response);
      if (isThenable(promise)) {
        promise.then(
          () => exchange.returned(),
          (error) => exchange.fail(error),
        );
      }
    } catch (error) {
      exchange.fail(error);
    }
  };
}

/** Whether a request asks for a WebSocket, and its server listens to that. @param {PlainRequest} request @param {() => any} server */
function takesWebSocket(request, server) {
  return server()?.listenerCount("upgrade") > 0 && PlainRequest.subprotocolsOf(request) !== undefined;
}
