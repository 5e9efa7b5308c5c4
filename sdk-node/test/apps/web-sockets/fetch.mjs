// A Fetch application with WebSockets beside it: a room for all, and paths that do what handlers can do.
import { serve } from "handoff-worker";

const sockets = new Set();

serve(
  { fetch: () => new Response("page\n") },
  {
    websocket: {
      open(socket) {
        sockets.add(socket);
        if (socket.request.target === "/closes") socket.close(4003, "bye");
        if (socket.request.target === "/fails") throw new RangeError("as tested");
      },
      message(socket, message) {
        for (const each of sockets) each.send(message);
        socket.data = Number(socket.data ?? 0) + 1;
      },
      close(socket, code, reason) {
        sockets.delete(socket);
        console.log(`closed ${code} ${reason} after ${socket.data ?? 0}`);
      },
    },
    origins: ["https://example.org"],
    subprotocols: ["chat.v2", "chat"],
  },
);
