// A chat by WebSockets, and its page: a Handoff worker in plain Node (docs/PROTOCOL.md), nothing to install.
import net from "node:net";

const { HANDOFF_SOCKET = "", HANDOFF_POOL: pool, HANDOFF_TOKEN: token } = process.env;
const chatting = { features: ["websockets"], streams: 1000 }; // so many sockets besides the window
const hello = { type: "hello", protocol: 1, concurrency: 64, pool, token, pid: process.pid, ...chatting };
const page = `<!doctype html>
<title>Chat</title>
<form><input autofocus autocomplete="off"></form><ul></ul>
<script>
  const socket = new WebSocket(location.protocol.replace("http", "ws") + "//" + location.host + "/chat"), form = document.forms[0]
  socket.onopen = () => { document.title = "Chat, open" }
  socket.onclose = ({ code }) => { document.title = "Chat, closed with " + code }
  socket.onmessage = ({ data }) => document.querySelector("ul").append(
    Object.assign(document.createElement("li"), { textContent: data }))
  form.onsubmit = () => { socket.send(form[0].value); form.reset(); return false }
</script>
`;

/** @param {object} head @param {string | Uint8Array} body */
function frame(head, body = "") {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(Buffer.byteLength(body), 4);
  return Buffer.concat([lengths, json, Buffer.from(body)]);
}

const core = net.connect(HANDOFF_SOCKET, () => core.write(frame(hello)));
/** The bytes that may still be sent to each, by id. @type {Map<number, number>} */
const credits = new Map();
let mostBytes = 0; // the largest body that the core takes
let unread = Buffer.alloc(0);

core.on("data", (chunk) => {
  unread = Buffer.concat([unread, chunk]);
  for (let at = 0, end = 0; unread.length >= 8; unread = unread.subarray(end)) {
    at = 8 + unread.readUInt32BE(0);
    end = at + unread.readUInt32BE(4);
    if (unread.length < end) break;
    const body = unread.subarray(at, end);
    const { type, id, target, websocket, bytes, limits } = JSON.parse(unread.toString("utf8", 8, at));
    if (!type) throw new Error("a frame without a type");
    if (type === "welcome") mostBytes = limits.bodyBytes;
    if (type === "request" && target === "/chat" && websocket) {
      credits.set(id, 65_536); // what the core grants at the start
      core.write(frame({ type: "response", id, status: 101, more: true }));
    } else if (type === "request" && Buffer.byteLength(page) > mostBytes) {
      core.write(frame({ type: "failure", id, message: "the page is too large" }));
    } else if (type === "request") {
      core.write(frame({ type: "response", id, status: 200, headers: [["content-type", "text/html"]] }, page));
    }
    for (const [each, credit] of type === "message" ? credits : []) {
      if (credit <= 0) continue; // who doesn't read misses messages
      credits.set(each, credit - body.length - 64);
      core.write(frame({ type: "message", id: each, text: true }, body));
    }
    if (type === "credit" && credits.has(id)) credits.set(id, Number(credits.get(id)) + bytes);
    if (type === "close" && credits.delete(id)) core.write(frame({ type: "close", id })); // the client has left
    if (type === "ping") core.write(frame({ type: "pong" }));
  }
});
core.on("close", () => process.exit(token ? 0 : 1));
