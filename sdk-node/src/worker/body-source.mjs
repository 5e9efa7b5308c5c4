/** @typedef {import("./pulled-body.mjs").Source} Source */

/**
 * The source of a body that comes in parts: a ReadableStream, an asynchronous iterable such as a Readable or what an asynchronous
 * generator gives, or an iterable. Undefined for anything else.
 *
 * @param {any} body
 * @returns {Source | undefined}
 */
export function sourceOf(body) {
  if (typeof body?.getReader === "function") return sourceOfStream(body.getReader());
  const iterator = body?.[Symbol.asyncIterator]?.() ?? body?.[Symbol.iterator]?.();
  if (iterator === undefined) return undefined;
  return {
    next: () => iterator.next(),
    cancel: (reason) => cancelIterator(body, iterator, reason),
  };
}

/** @param {ReadableStreamDefaultReader} reader @returns {Source} */
function sourceOfStream(reader) {
  return {
    next: () => reader.read(),
    cancel: (reason) => {
      reader.cancel(reason).catch(() => {});
    },
  };
}

/**
 * A Readable is destroyed, as its iterator would wait for the next part before it ends. An asynchronous generator is closed when what
 * it awaits has come.
 *
 * @param {any} body
 * @param {any} iterator
 * @param {unknown} reason
 */
async function cancelIterator(body, iterator, reason) {
  try {
    if (typeof body.destroy === "function") body.on("error", () => {}).destroy(reason);
    else await iterator.return?.();
  } catch {
    // what fails while it is closed has no response to fail any more
  }
}
