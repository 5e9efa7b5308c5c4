import { AsyncResource } from "node:async_hooks";

/**
 * Calls a function in an asynchronous scope of its own. What the application enters there, as by `AsyncLocalStorage.enterWith`, ends
 * with the call: what is called next is for another request, and does not see it.
 *
 * @template T
 * @param {(...subjects: any[]) => T} call
 * @param {any[]} subjects
 * @returns {T}
 */
export function callApart(call, ...subjects) {
  return new AsyncResource("HANDOFF_CALL").runInAsyncScope(call, undefined, ...subjects);
}
