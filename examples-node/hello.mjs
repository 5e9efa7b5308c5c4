// A whole Handoff worker in plain Node: protocol version 1, nothing to install.
import net from "node:net";

const { HANDOFF_SOCKET = "", HANDOFF_POOL: pool, HANDOFF_TOKEN: token, HANDOFF_CONCURRENCY } = process.env;
const hello = {
  type: "hello",
  protocol: 1,
  concurrency: Number(HANDOFF_CONCURRENCY || 64),
  pool,
  token,
  pid: process.pid,
};
const headers = [["content-type", "text/plain"]];

/** @param {object} head @param {string} body */
function frame(head, body = "") {
  const json = JSON.stringify(head);
  const bytes = Buffer.allocUnsafe(8 + Buffer.byteLength(json) + Buffer.byteLength(body));
  const end = 8 + bytes.write(json, 8);
  bytes.writeUInt32BE(end - 8, 0);
  bytes.writeUInt32BE(bytes.write(body, end), 4);
  return bytes;
}

function serve() {
  const core = net.connect(HANDOFF_SOCKET, () => core.write(frame(hello)));
  let unread = Buffer.alloc(0);
  core.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    const answers = [];
    for (let body = 0, end = 0; unread.length >= 8; unread = unread.subarray(end)) {
      body = 8 + unread.readUInt32BE(0);
      end = body + unread.readUInt32BE(4);
      if (unread.length < end) break;
      const { type, id } = JSON.parse(unread.toString("utf8", 8, body)); // the request's body goes from body to end
      if (!type) throw new Error("a frame without a type");
      if (type === "request") answers.push(frame({ type: "response", id, status: 200, headers }, "hello\n"));
      if (type === "ping") answers.push(frame({ type: "pong" }));
      if (type === "drain") setImmediate(() => core.end());
    }
    core.write(Buffer.concat(answers)); // one write for one read: the speed
  });
  core.on("error", (error) => console.error(error.message));
  core.on("close", () => token || setTimeout(serve, 100 + 900 * Math.random())); // spawned: leaves with its core
}

serve();
