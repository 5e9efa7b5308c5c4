import { sourceOf } from "../worker/body-source.mjs";
import { PulledBody } from "../worker/pulled-body.mjs";
import { headersJson } from "./light-response.mjs";
import { NativeResponse } from "./native-classes.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

/**
 * Sends one of Node's own responses. Throws a TypeError for anything but a Response.
 *
 * @param {PlainRequest} plain one that has begun
 * @param {unknown} response
 * @param {Connection} connection
 */
export function sendNative(plain, response, connection) {
  if (!(response instanceof NativeResponse)) {
    const what = response === null ? "null" : typeof response;
    throw new TypeError(
      `the handler returned ${what}, not a Response; for { status, headers, body } use serve(handler)`,
    );
  }
  const reason = response.statusText || undefined;
  const head = { status: response.status, reason, headers: headersJson(response.headers) };
  const source = sourceOf(response.body);
  if (source) new PulledBody(plain, head, source, bytesOf, connection).send();
  else if (connection.settle(plain)) connection.answer(plain, head.status, reason, head.headers, "");
}

/** @param {unknown} part */
function bytesOf(part) {
  if (part instanceof Uint8Array) return part;
  throw new TypeError("the stream of the Response's body gives no Uint8Array");
}
