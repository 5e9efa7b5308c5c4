import { HeaderList } from "../protocol/response-json.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

/**
 * Calls functions that take a request and return an answer, both as the protocol tells them.
 *
 * @param {(request: any) => unknown} handler
 * @returns {import("../worker/connection.mjs").Dispatch}
 */
export function plain(handler) {
  return (request, connection) => {
    try {
      const answer = handler(request);
      if (isThenable(answer)) answerLater(request, answer, connection);
      else send(request, answer, connection);
    } catch (error) {
      connection.fail(request, error);
    }
  };
}

/** @param {any} value @returns {value is PromiseLike<unknown>} */
export function isThenable(value) {
  return typeof value?.then === "function";
}

/** @param {PlainRequest} request @param {PromiseLike<unknown>} promise @param {Connection} connection */
function answerLater(request, promise, connection) {
  connection.begin(request);
  promise.then(
    (answer) => {
      if (!connection.settle(request)) return;
      try {
        send(request, answer, connection);
      } catch (error) {
        connection.fail(request, error);
      }
    },
    (error) => {
      if (connection.settle(request)) connection.fail(request, error);
    },
  );
}

/** @param {PlainRequest} request @param {any} answer @param {Connection} connection */
function send(request, answer, connection) {
  if (typeof answer !== "object" || answer === null) {
    throw new TypeError(`the handler returned ${describe(answer)}; an answer is { status, headers, body }`);
  }
  if (answer instanceof Response) {
    throw new TypeError("the handler returned a Response: pass it as serve({ fetch: handler })");
  }
  const { status = 200, reason, headers, body = "" } = answer;
  if (!Number.isInteger(status)) throw new TypeError(`the answer's status is ${describe(status)}, not an integer`);
  if (reason !== undefined && typeof reason !== "string") {
    throw new TypeError(`the answer's reason is ${describe(reason)}, not a string`);
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
  throw new TypeError(`the answer's body is ${describe(body)}, not a string or bytes: encode it, for example as JSON`);
}

/** @param {unknown} value */
function describe(value) {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "object" || typeof value === "function") return `a ${value.constructor?.name ?? typeof value}`;
  return JSON.stringify(value);
}
