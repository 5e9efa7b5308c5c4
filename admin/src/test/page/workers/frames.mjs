// The frames of the worker protocol, as far as the workers of these tests need them.

/** @param {import("node:net").Socket} core @param {object} head @param {string} body */
export function send(core, head, body = "") {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(Buffer.byteLength(body), 4);
  core.write(Buffer.concat([lengths, json, Buffer.from(body)]));
}

/** Answers pings, and gives every other message away. @param {import("node:net").Socket} core @param {(message: any) => void} take */
export function receive(core, take) {
  let unread = Buffer.alloc(0);
  core.on("data", (chunk) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 8) {
      const end = 8 + unread.readUInt32BE(0);
      const next = end + unread.readUInt32BE(4);
      if (unread.length < next) break;
      const message = JSON.parse(unread.toString("utf8", 8, end));
      if (message.type === "ping") send(core, { type: "pong" });
      else take(message);
      unread = unread.subarray(next);
    }
  });
}
