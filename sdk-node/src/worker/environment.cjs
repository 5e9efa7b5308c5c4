"use strict";

/** Reads what the core tells a worker in environment variables (docs/PROTOCOL.md, "Transport"). */

/**
 * @typedef {object} Environment
 * @property {string} socket the path of the worker socket
 * @property {string} [pool]
 * @property {string} [token] the secret by which the core knows a process that it started
 * @property {string} [name]
 * @property {number} [concurrency] the requests at once that the operator asks for
 * @property {string} [readyFile] where a health check looks; none for a worker that the core started, since checks ask the core then
 */

/**
 * Reads the variables, and takes the token out of them, so that no child of the worker inherits it. Ends the process with 2 where
 * no socket is named, or the concurrency is not a whole number from 1.
 *
 * @returns {Environment}
 */
function takeEnvironment() {
  const { HANDOFF_SOCKET, HANDOFF_POOL, HANDOFF_TOKEN, HANDOFF_WORKER, HANDOFF_CONCURRENCY, HANDOFF_READY_FILE } =
    process.env;
  if (!HANDOFF_SOCKET) {
    console.error(
      "handoff: HANDOFF_SOCKET is not set. Start this program with 'handoff run', or name the socket of a running 'handoff serve'.",
    );
    process.exit(2);
  }
  delete process.env.HANDOFF_TOKEN;
  return {
    socket: HANDOFF_SOCKET,
    pool: HANDOFF_POOL,
    token: HANDOFF_TOKEN,
    name: HANDOFF_WORKER,
    concurrency: concurrencyIn(HANDOFF_CONCURRENCY),
    readyFile: HANDOFF_TOKEN === undefined ? HANDOFF_READY_FILE || undefined : undefined,
  };
}

/** @param {string | undefined} text */
function concurrencyIn(text) {
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`handoff: HANDOFF_CONCURRENCY has to be a whole number from 1, not '${text}'`);
  return process.exit(2);
}

module.exports = { takeEnvironment };
