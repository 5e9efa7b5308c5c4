/** @type {WeakSet<object>} */
const told = new WeakSet();

/**
 * Marks an error by which a handler hears that its request is over: the client has left, the time is up, or it was answered. Where
 * nobody handles such an error no process has to end, as clients choose when it comes.
 *
 * @template {Error} E
 * @param {E} error
 */
export function tellingOfTheEnd(error) {
  told.add(error);
  return error;
}

/** Whether an error is one of these, or what Node makes of one that aborts a signal. @param {any} error */
export function tellsOfTheEnd(error) {
  if (typeof error !== "object" || error === null) return false;
  return told.has(error) || (error.name === "AbortError" && told.has(error.cause));
}
