// Clients of a server: some that are never idle, and some that wait.

import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";

/** Between two requests of a client, so that browser and server get their share of a small machine. */
const THINK_MILLIS = 2;

/** Sends request after request over so many connections, until it is stopped. */
export class Load {
  #running = true;
  #agent = new http.Agent({ keepAlive: true });
  #clients;

  /** @param {string} url @param {number} connections */
  constructor(url, connections) {
    this.#clients = Array.from({ length: connections }, () => this.#client(url));
  }

  async stop() {
    this.#running = false;
    await Promise.all(this.#clients);
    this.#agent.destroy();
  }

  /** @param {string} url */
  async #client(url) {
    while (this.#running) {
      await get(url, this.#agent);
      await pause(THINK_MILLIS);
    }
  }
}

/** Sends a request and waits for nothing. @param {string} url @returns {() => void} leaves */
export function ask(url) {
  const request = http.get(url, (answer) => answer.resume());
  request.on("error", () => {}); // It is cut off, here or there.
  return () => request.destroy();
}

/** @param {string} url @param {http.Agent} agent @returns {Promise<void>} */
function get(url, agent) {
  return new Promise((resolve, reject) => {
    http.get(url, { agent }, (answer) => answer.resume().on("end", resolve)).on("error", reject);
  });
}
