// A clock in a page, by server-sent events: a Handoff worker in plain Node that responds in pieces (docs/PROTOCOL.md), nothing to install.
import net from "node:net";

const { HANDOFF_SOCKET = "", HANDOFF_POOL: pool, HANDOFF_TOKEN: token } = process.env;
const streaming = { features: ["streams"], streams: 1000 }; // so many clocks besides the window
const hello = { type: "hello", protocol: 1, concurrency: 64, pool, token, pid: process.pid, ...streaming };
const page = `<!doctype html>
<title>Clock</title>
<h1 id="clock">…</h1>
<script>
  new EventSource("/events").onmessage = ({ data }) => { document.getElementById("clock").textContent = data }
</script>
`;

/** @param {object} head @param {string} body */
function frame(head, body = "") {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(Buffer.byteLength(body), 4);
  return Buffer.concat([lengths, json, Buffer.from(body)]);
}

/** @param {string} type @param {number} id */
function responseHead(type, id) {
  const headers = [
    ["content-type", type],
    ["cache-control", "no-store"],
  ];
  return { type: "response", id, status: 200, headers };
}

/** The page, where the core takes so much. @param {number} id */
function pageFrame(id) {
  const fits = Buffer.byteLength(page) <= welcome.limits.bodyBytes;
  return fits
    ? frame(responseHead("text/html", id), page)
    : frame({ type: "failure", id, message: "the page is too large" });
}

const core = net.connect(HANDOFF_SOCKET, () => core.write(frame(hello)));
const clocks = new Set(); // the ids of the requests whose clients look at one
let welcome = { limits: { bodyBytes: 0 }, /** @type {string[]} */ features: [] };
let unread = Buffer.alloc(0);

// 32 bytes a second: a client that does not read for half an hour uses up its credit, and is cut off. So nobody counts it here.
setInterval(() => {
  const event = `data: ${new Date().toISOString().slice(0, 19)}\n\n`;
  for (const id of clocks) core.write(frame({ type: "data", id, more: true }, event));
}, 1000);

core.on("data", (chunk) => {
  unread = Buffer.concat([unread, chunk]);
  for (let body = 0, end = 0; unread.length >= 8; unread = unread.subarray(end)) {
    body = 8 + unread.readUInt32BE(0);
    end = body + unread.readUInt32BE(4);
    if (unread.length < end) break;
    const head = JSON.parse(unread.toString("utf8", 8, body));
    if (!head.type) throw new Error("a frame without a type");
    const { type, id, target } = head;
    if (type === "welcome") welcome = { ...welcome, ...head };
    const ticks = target === "/events" && welcome.features.includes("streams");
    if (type === "request" && ticks) {
      clocks.add(id);
      core.write(frame({ ...responseHead("text/event-stream", id), more: true }, "data: one moment\n\n"));
    }
    if (type === "request" && !ticks) core.write(pageFrame(id));
    if (type === "cancel" && clocks.delete(id)) core.write(frame({ type: "data", id })); // the client has left
    if (type === "ping") core.write(frame({ type: "pong" }));
  }
});
core.on("close", () => process.exit(token ? 0 : 1));
