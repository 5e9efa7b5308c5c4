import net from "node:net";
import { withResolvers } from "./process.mjs";

/** Below those that systems give to clients, of which one could have the port before the server does. */
const FIRST = 20_000;
const COUNT = 10_000;

/** A port that nobody listens on. @returns {Promise<number>} */
export async function freePort() {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (!(await isOpen(port))) return port;
  }
}

/** Whether somebody listens on a port of this machine. @param {number} port @returns {Promise<boolean>} */
export function isOpen(port) {
  const { promise, resolve } = withResolvers();
  const socket = net.connect(port, "127.0.0.1");
  socket.on("connect", () => resolve(true)).on("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}
