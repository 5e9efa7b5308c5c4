"use strict";

/** What a worker is told by its environment, as docs/PROTOCOL.md lists it. */

/**
 * @typedef {object} Environment
 * @property {string} socket
 * @property {string} [pool]
 * @property {string} [token]
 * @property {string} [name]
 * @property {number} [concurrency]
 * @property {string} [readyFile] where a health check looks; none for a worker of the core, which is asked itself
 */

/** Reads it, and takes the token out, so that no child of the worker inherits it. @returns {Environment} */
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
    concurrency: windowIn(HANDOFF_CONCURRENCY),
    readyFile: HANDOFF_TOKEN === undefined ? HANDOFF_READY_FILE || undefined : undefined,
  };
}

/** @param {string | undefined} text */
function windowIn(text) {
  if (!text) return undefined;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  console.error(`handoff: HANDOFF_CONCURRENCY is a number of requests from 1 on, not '${text}'`);
  return process.exit(2);
}

module.exports = { takeEnvironment };
