// The admin API as any client uses it. A token, where the server asks for one, is kept by this tab alone.

const TOKEN = "handoff-token";

/** Longer than the server's own patience with a loop that does not turn (one second). */
const PATIENCE_MILLIS = 5000;

/** What the server answered instead of what it was asked for. */
export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** @param {string} token */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function hasToken() {
  return sessionStorage.getItem(TOKEN) !== null;
}

/** @param {string} path relative to the page, so that a proxy may put it below a path of its own */
export function read(path) {
  return ask(path, { method: "GET" });
}

/** @param {string} path @param {object} body */
export function post(path, body = {}) {
  return ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
}

/**
 * @param {string} path @param {RequestInit} options
 * @returns {Promise<any>} the JSON of the answer
 * @throws {Refused} with the server's reason; anything else means that it does not answer
 */
async function ask(path, options) {
  const headers = new Headers(options.headers);
  headers.set("accept", "application/json");
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  const signal = AbortSignal.timeout(PATIENCE_MILLIS);
  const answer = await fetch(path, { ...options, headers, signal, cache: "no-store", credentials: "omit" });
  if (!answer.ok) throw new Refused(answer.status, await reason(answer));
  return answer.json();
}

/** @param {Response} answer a problem (RFC 9457), or at least a status */
async function reason(answer) {
  try {
    const { title, detail } = await answer.json();
    return detail ?? title ?? `status ${answer.status}`;
  } catch {
    return `status ${answer.status}`;
  }
}
