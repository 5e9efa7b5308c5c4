// Many workers in one process: they connect as workers that somebody else started do, and take requests without answering.

import net from "node:net";
import { receive, send } from "./workers/frames.mjs";

/**
 * @param {string} socket @param {string} pool @param {string[]} names what the workers call themselves
 * @returns {Promise<() => void>} lets them go
 */
export async function join(socket, pool, names) {
  const workers = await Promise.all(names.map((name) => connect(socket, pool, name)));
  return () => {
    for (const worker of workers) worker.destroy();
  };
}

/** @param {string} socket @param {string} pool @param {string} name @returns {Promise<net.Socket>} once it is welcome */
function connect(socket, pool, name) {
  return new Promise((resolve, reject) => {
    const core = net.connect(socket, () => send(core, { type: "hello", protocol: 1, concurrency: 8, pool, name }));
    receive(core, ({ type, message }) => {
      if (type === "welcome") resolve(core);
      if (type === "refused") reject(new Error(message));
    });
    core.on("error", reject);
  });
}
