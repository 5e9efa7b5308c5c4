// A worker that answers at once, except what is below /hold/: that it keeps until nobody waits for it any more.
import net from "node:net";

const { HANDOFF_SOCKET = "", HANDOFF_POOL: pool, HANDOFF_TOKEN: token } = process.env;
const core = net.connect(HANDOFF_SOCKET);
let unread = Buffer.alloc(0);

/** @param {object} head @param {string} body */
function send(head, body = "") {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  core.write(Buffer.concat([lengths, json, Buffer.from(body)]));
}

/** @param {{ type: string, id: number, target: string }} message */
function take({ type, id, target }) {
  if (type === "ping") send({ type: "pong" });
  if (type === "cancel") send({ type: "failure", id, message: "cancelled" });
  if (type !== "request" || target.startsWith("/hold/")) return;
  const status = target.startsWith("/fail/") ? 500 : 200;
  send({ type: "response", id, status, headers: [["content-type", "text/plain"]] }, "hello\n");
}

core.on("connect", () => send({ type: "hello", protocol: 1, concurrency: 16, pool, token, pid: process.pid }));
core.on("data", (chunk) => {
  unread = Buffer.concat([unread, chunk]);
  while (unread.length >= 8) {
    const end = 8 + unread.readUInt32BE(0);
    const next = end + unread.readUInt32BE(4);
    if (unread.length < next) break;
    take(JSON.parse(unread.toString("utf8", 8, end)));
    unread = unread.subarray(next);
  }
});
core.on("close", () => process.exit());
core.on("error", () => process.exit(1));
