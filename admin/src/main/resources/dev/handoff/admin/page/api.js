// Calls the admin API, as any client does. If the server asks for a token, this tab alone keeps it.

const TOKEN = "handoff-token";

/** Longer than the server itself waits for a loop that does not respond (one second). */
const PATIENCE_MILLIS = 5000;

/** The server's reason for refusing a call. */
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
 * @returns {Promise<any>} the JSON of the response
 * @throws {Refused} with the server's reason; any other error means that there is no response
 */
async function ask(path, options) {
  const headers = new Headers(options.headers);
  headers.set("accept", "application/json");
  const token = sessionStorage.getItem(TOKEN);
  if (token !== null) headers.set("authorization", `Bearer ${token}`);
  const signal = AbortSignal.timeout(PATIENCE_MILLIS);
  const response = await fetch(path, { ...options, headers, signal, cache: "no-store", credentials: "omit" });
  if (!response.ok) throw new Refused(response.status, await reason(response));
  return response.json();
}

/** @param {Response} response a problem (RFC 9457), or at least a status */
async function reason(response) {
  try {
    const { title, detail } = await response.json();
    return detail ?? title ?? `status ${response.status}`;
  } catch {
    return `status ${response.status}`;
  }
}
