// Sends each WebSocket five messages of a megabyte as soon as it opens, and answers requests with 200 kB.
import { serve } from "handoff-worker";

function respond() {
  console.log("asked.");
  return { body: Buffer.alloc(200_000) };
}

serve(respond, {
  websocket: {
    open(socket) {
      for (let i = 0; i < 5; i++) socket.send(Buffer.alloc(1_000_000));
    },
    message() {},
  },
});
