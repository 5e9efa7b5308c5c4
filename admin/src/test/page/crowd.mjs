// Many workers in one process: they connect as workers that somebody else started do, and take requests without answering.

import { once } from "node:events";
import net from "node:net";

/**
 * @param {string} socket @param {string} pool @param {string[]} names what the workers call themselves
 * @returns {Promise<() => void>} lets them go
 */
export async function join(socket, pool, names) {
  const workers = names.map((name) => connect(socket, { type: "hello", protocol: 1, concurrency: 8, pool, name }));
  await Promise.all(workers.map((worker) => once(worker, "data")));
  return () => {
    for (const worker of workers) worker.destroy();
  };
}

/** @param {string} socket @param {object} hello */
function connect(socket, hello) {
  const json = JSON.stringify(hello);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(Buffer.byteLength(json), 0);
  const worker = net.connect(socket, () => worker.write(Buffer.concat([head, Buffer.from(json)])));
  return worker.resume();
}
