import { RefusedRequest } from "../protocol/plain-request.mjs";
import { LazyRequest } from "./lazy-request.mjs";
import { LightResponse } from "./light-response.mjs";
import { sendNative } from "./send-native.mjs";

/** @typedef {import("../worker/connection.mjs").Connection} Connection */
/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

/**
 * Serves a function from a Request to a Response.
 *
 * @param {(request: any, plain: any) => unknown} handler whatever it throws fails its request
 * @param {boolean} light whether it may get lazy requests rather than real ones
 * @returns {import("../worker/connection.mjs").Dispatch}
 */
export function fetchHandler(handler, light) {
  return (plain, connection) => {
    try {
      const lazy = new LazyRequest(plain);
      const response = handler(light ? lazy : lazy.native, plain);
      const parts = LightResponse.parts(response);
      if (parts) connection.answer(plain, parts.status, parts.reason, parts.headers, parts.body);
      else respondLater(plain, response, connection);
    } catch (error) {
      refuseOrFail(plain, error, connection);
    }
  };
}

/** @param {PlainRequest} plain @param {unknown} promise @param {Connection} connection */
async function respondLater(plain, promise, connection) {
  connection.begin(plain);
  try {
    const response = await promise;
    const parts = LightResponse.parts(response);
    if (parts === undefined) sendNative(plain, response, connection);
    else if (connection.settle(plain)) connection.answer(plain, parts.status, parts.reason, parts.headers, parts.body);
  } catch (error) {
    if (connection.settle(plain)) refuseOrFail(plain, error, connection);
  }
}

/** @param {PlainRequest} plain @param {unknown} error @param {Connection} connection */
function refuseOrFail(plain, error, connection) {
  if (!(error instanceof RefusedRequest)) {
    connection.fail(plain, error);
    return;
  }
  const fields = `[["handoff-error","${error.code}"],["content-type","text/plain; charset=utf-8"]]`;
  connection.answer(plain, error.status, undefined, fields, `${error.message}\n`);
}
