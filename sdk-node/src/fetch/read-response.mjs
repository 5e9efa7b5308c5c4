import { headersJson } from "./light-response.mjs";
import { NativeResponse } from "./native-classes.mjs";

/** @typedef {import("./light-response.mjs").Parts} Parts */

/**
 * Reads a response to its end. Throws a TypeError for anything but a Response, and a RangeError for a body that is too large.
 *
 * @param {unknown} response
 * @param {number} mostBytes that the body may have
 * @param {AbortSignal} signal ends the reading
 * @returns {Promise<Parts>}
 */
export async function readResponse(response, mostBytes, signal) {
  if (!(response instanceof NativeResponse)) {
    const what = response === null ? "null" : typeof response;
    throw new TypeError(
      `the handler returned ${what}, not a Response; for { status, headers, body } use serve(handler)`,
    );
  }
  const body = response.body ? await readBody(response.body, mostBytes, signal) : "";
  const reason = response.statusText || undefined;
  return { status: response.status, reason, headers: headersJson(response.headers), body };
}

/** @param {ReadableStream<Uint8Array>} stream @param {number} mostBytes @param {AbortSignal} signal */
async function readBody(stream, mostBytes, signal) {
  const reader = stream.getReader();
  const stop = () => reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  const chunks = [];
  let bytes = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    if (!(next.value instanceof Uint8Array))
      throw new TypeError("the stream of the Response's body gives no Uint8Array");
    bytes += next.value.length;
    if (bytes > mostBytes) {
      stop(); // not awaited: with a clone that nobody cancels, this would last for ever
      throw new RangeError(`the body has more than the ${mostBytes} bytes that the core takes (its --max-response)`);
    }
    chunks.push(next.value);
  }
  signal.removeEventListener("abort", stop);
  return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
}
