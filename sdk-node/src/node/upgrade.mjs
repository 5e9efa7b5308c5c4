import { FrameSocket } from "./frame-socket.mjs";
import { incoming } from "./incoming-message.mjs";

/** @typedef {import("../protocol/plain-request.mjs").PlainRequest} PlainRequest */

const NOTHING = Buffer.alloc(0);
/** The fields that the core drops, and applications look for. */
const OF_THE_CONNECTION = /** @type {const} */ ([
  ["connection", "Upgrade"],
  ["upgrade", "websocket"],
]);

/**
 * Emits the `upgrade` event of node:http for a request that asks for a WebSocket. The application sees no extension, since the core
 * compresses by itself.
 *
 * @param {PlainRequest} request
 * @param {import("../worker/connection.mjs").Connection} connection
 * @param {import("node:http").Server} server
 */
export function upgrade(request, connection, server) {
  const headers = request.headers.filter(([name]) => name !== "sec-websocket-extensions");
  const socket = new FrameSocket(request, connection, server);
  const message = incoming(request, socket, [...headers, ...OF_THE_CONNECTION]);
  /** @type {any} */ (message).upgrade = true;
  try {
    server.emit("upgrade", message, socket, NOTHING);
  } catch (error) {
    if (connection.settle(request)) connection.fail(request, error);
    socket.destroy();
  }
}
