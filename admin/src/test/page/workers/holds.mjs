// A worker that answers at once, except what is below /hold/: that it keeps until nobody waits for it any more.
import net from "node:net";
import { receive, send } from "./frames.mjs";

const { HANDOFF_SOCKET = "", HANDOFF_POOL: pool, HANDOFF_TOKEN: token } = process.env;
const core = net.connect(HANDOFF_SOCKET);

core.on("connect", () => send(core, { type: "hello", protocol: 1, concurrency: 16, pool, token, pid: process.pid }));
core.on("close", () => process.exit());
core.on("error", () => process.exit(1));

receive(core, ({ type, id, target }) => {
  if (type === "cancel") send(core, { type: "failure", id, message: "cancelled" });
  if (type !== "request" || target.startsWith("/hold/")) return;
  const status = target.startsWith("/fail/") ? 500 : 200;
  send(core, { type: "response", id, status, headers: [["content-type", "text/plain"]] }, "hello\n");
});
