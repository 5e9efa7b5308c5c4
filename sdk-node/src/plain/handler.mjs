import { HeaderList } from "../protocol/response-json.mjs";
import { isThenable } from "../thenable.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

/**
 * Serves a plain function: it takes a PlainRequest and returns a PlainResponse (index.d.ts), or a promise of one.
 *
 * @param {(request: any) => unknown} handler whatever it throws fails its request
 * @returns {import("../worker/connection.mjs").Dispatch}
 */
export function plainHandler(handler) {
  return (request, connection) => {
    try {
      const response = handler(request);
      if (isThenable(response)) respondLater(request, response, connection);
      else send(request, response, connection);
    } catch (error) {
      connection.fail(request, error);
    }
  };
}

/** @param {PlainRequest} request @param {PromiseLike<unknown>} promise @param {Connection} connection */
function respondLater(request, promise, connection) {
  connection.begin(request);
  promise.then(
    (response) => {
      if (!connection.settle(request)) return;
      try {
        send(request, response, connection);
      } catch (error) {
        connection.fail(request, error);
      }
    },
    (error) => {
      if (connection.settle(request)) connection.fail(request, error);
    },
  );
}

/** @param {PlainRequest} request @param {any} response @param {Connection} connection */
function send(request, response, connection) {
  if (typeof response !== "object" || response === null) {
    throw new TypeError(`the handler returned ${describe(response)}; a response is { status, headers, body }`);
  }
  if (response instanceof Response) {
    throw new TypeError("the handler returned a Response: pass it as serve({ fetch: handler })");
  }
  const { status = 200, reason, headers, body = "" } = response;
  if (!Number.isInteger(status)) throw new TypeError(`the response's status is ${describe(status)}, not an integer`);
  if (reason !== undefined && typeof reason !== "string") {
    throw new TypeError(`the response's reason is ${describe(reason)}, not a string`);
  }
  connection.answer(request, status, reason, headersJson(headers), bytesOf(body));
}

/** @param {any} headers */
function headersJson(headers) {
  if (headers === undefined || headers === null) return "[]";
  const list = new HeaderList();
  if (typeof headers[Symbol.iterator] === "function") {
    for (const [name, value] of headers) list.add(name, value);
  } else {
    for (const name of Object.keys(headers)) list.add(name, headers[name]);
  }
  return list.json;
}

/** @param {unknown} body @returns {string | Uint8Array} */
function bytesOf(body) {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body === null) return "";
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError(
    `the response's body is ${describe(body)}, not a string or bytes: encode it, for example as JSON`,
  );
}

/** @param {unknown} value */
function describe(value) {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "object" || typeof value === "function") return `a ${value.constructor?.name ?? typeof value}`;
  return JSON.stringify(value);
}
