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

/** Whether an error is one of these, or has one as its cause, as what Node makes of an aborted signal, and of a body for `fetch`. @param {any} error */
export function tellsOfTheEnd(error) {
  if (typeof error !== "object" || error === null) return false;
  return told.has(error) || told.has(error.cause);
}
