// Sends each WebSocket far more small messages than may be unsent, and answers requests.
import { serve } from "handoff-worker";

function respond() {
  console.log("asked.");
  return "asked";
}

serve(respond, {
  websocket: {
    open(socket) {
      for (let i = 0; i < 50_000; i++) socket.send("hello");
    },
    message() {},
  },
});
