import { AsyncResource } from "node:async_hooks";

/**
 * Calls what is due to one of many, apart from the others: what the application enters meanwhile, as by `AsyncLocalStorage.enterWith`,
 * ends with the call, and what it throws is the process's. Returns undefined then.
 *
 * @template T
 * @param {(...subjects: any[]) => T} call
 * @param {any[]} subjects
 * @returns {T | undefined}
 */
export function callApart(call, ...subjects) {
  try {
    return new AsyncResource("HANDOFF_CALL").runInAsyncScope(call, undefined, ...subjects);
  } catch (error) {
    throwLater(error);
    return undefined;
  }
}

/** Has an error reach the process as one that nobody catches, while the caller goes on with what is due to others. @param {unknown} error */
export function throwLater(error) {
  process.nextTick(() => {
    throw error;
  });
}
