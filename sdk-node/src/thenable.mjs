/** Whether a value is a promise, or passes for one. @param {any} value @returns {value is PromiseLike<unknown>} */
export function isThenable(value) {
  return typeof value?.then === "function";
}
