// Sends each WebSocket what its target names, as `text` or `bytes` with a size, and closes it where that is `close` or `fail`.
// Answers requests with five pieces of 20 kB.
import { setImmediate } from "node:timers/promises";
import { serve } from "handoff-worker";

/** Characters of one to four bytes. */
const TEXT = "xü€😀";

async function* pieces() {
  for (let i = 0; i < 5; i++) {
    yield Buffer.alloc(20_000);
    await setImmediate();
  }
}

function act(socket, word, size) {
  if (word === "text") return socket.send(TEXT.repeat(size / TEXT.length));
  if (word === "ascii") return socket.send("x".repeat(size));
  if (word === "bytes") return socket.send(Buffer.alloc(size));
  if (word === "close") socket.close(4000, "bye");
  if (word === "fail") throw new RangeError("as tested");
  return undefined;
}

serve(() => ({ body: pieces() }), {
  websocket: {
    open(socket) {
      const words = socket.request.target.slice(1).split("/");
      for (const [word, size] of words.map((each) => each.split("-"))) {
        if (act(socket, word, Number(size)) === false) console.log(`${word} waits.`);
      }
      console.log(`opened ${socket.request.target}.`);
    },
    drain: () => console.log("drained."),
    message() {},
  },
});
