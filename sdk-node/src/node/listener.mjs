import { isThenable } from "../plain/handler.mjs";
import { NodeExchange } from "./exchange.mjs";

/**
 * Calls functions that were written for node:http's `request` event.
 *
 * @param {(request: any, response: any) => unknown} handle
 * @param {() => any} [server] the http.Server that they belong to
 * @returns {import("../worker/connection.mjs").Dispatch}
 */
export function listener(handle, server = () => undefined) {
  return (request, connection) => {
    const exchange = new NodeExchange(request, connection, server());
    try {
      const promise = handle(exchange.incoming, exchange.response);
      if (isThenable(promise)) promise.then(undefined, (error) => exchange.fail(error));
    } catch (error) {
      exchange.fail(error);
    }
  };
}
