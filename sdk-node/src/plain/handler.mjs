import { PlainRequest } from "../protocol/plain-request.mjs";
import { HeaderList } from "../protocol/response-json.mjs";
import { isThenable } from "../thenable.mjs";
import { sourceOf } from "../worker/body-source.mjs";
import { PulledBody } from "../worker/pulled-body.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../worker/connection.mjs").Dispatch} Dispatch */
/** @typedef {import("../protocol/request-body.mjs").RequestBody} RequestBody */

/**
 * Serves a plain function: it takes a PlainRequest and returns a PlainResponse (index.d.ts), or a promise of one.
 *
 * @param {(request: any) => unknown} handler whatever it throws fails its request
 * @param {boolean} [streams] whether it reads each body by `stream`. Otherwise it is called when the body is whole
 * @returns {Dispatch}
 */
export function plainHandler(handler, streams = false) {
  /** @type {Dispatch} */
  const dispatch = (request, connection) => {
    try {
      const response = handler(request);
      if (isThenable(response)) respondLater(request, response, connection);
      else send(request, response, connection);
    } catch (error) {
      connection.fail(request, error);
    }
  };
  if (streams) {
    return (request, connection) => {
      PlainRequest.streamOnly(request);
      dispatch(request, connection);
    };
  }
  return (request, connection) => {
    const pieces = PlainRequest.piecesOf(request);
    if (pieces === undefined) dispatch(request, connection);
    else dispatchWhole(request, pieces, dispatch, connection);
  };
}

/** @param {PlainRequest} request @param {RequestBody} pieces @param {Dispatch} dispatch @param {Connection} connection */
async function dispatchWhole(request, pieces, dispatch, connection) {
  connection.begin(request);
  PlainRequest.onCancel(request, (reason) => {
    connection.abandon(request, `cancelled before its body was whole: ${reason}`);
    return undefined;
  });
  try {
    request.body = await pieces.rest();
  } catch {
    return; // it was cancelled
  }
  if (!connection.settle(request)) return;
  PlainRequest.onCancel(request, () => undefined);
  dispatch(request, connection);
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
  const whole = wholeBody(body);
  if (whole === undefined) sendParts(request, { status, reason, headers: headersJson(headers) }, body, connection);
  else connection.answer(request, status, reason, headersJson(headers), whole);
}

/**
 * @param {PlainRequest} request
 * @param {import("../worker/pulled-body.mjs").Head} head
 * @param {unknown} body
 * @param {Connection} connection
 */
function sendParts(request, head, body, connection) {
  const source = sourceOf(body);
  if (source === undefined) {
    throw new TypeError(
      `the response's body is ${describe(body)}, not a string or bytes, nor an iterable of them: encode it, for example as JSON`,
    );
  }
  connection.begin(request);
  new PulledBody(request, head, source, bytesOfPart, connection).send();
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

/** A body that is there; undefined for any other. @param {unknown} body @returns {string | Uint8Array | undefined} */
function wholeBody(body) {
  if (typeof body === "string" || body instanceof Uint8Array) return body;
  if (body === null) return "";
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return undefined;
}

/** @param {unknown} part */
function bytesOfPart(part) {
  if (typeof part === "string") return Buffer.from(part);
  if (part instanceof Uint8Array) return part;
  throw new TypeError(`a part of the response's body is ${describe(part)}, not a string or bytes`);
}

/** @param {unknown} value */
function describe(value) {
  if (value === undefined || value === null) return String(value);
  if (typeof value === "object" || typeof value === "function") return `a ${value.constructor?.name ?? typeof value}`;
  return JSON.stringify(value);
}
