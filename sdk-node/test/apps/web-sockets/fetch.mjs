// A Fetch application with WebSockets beside it: a room for all, and paths that do what handlers can do.
import { serve } from "handoff-worker";

const sockets = new Set();

/** The second waits for credit. */
function large(socket) {
  socket.send(Buffer.alloc(100_000));
  for (const message of ["ü".repeat(17 << 20), Buffer.alloc(33 << 20)]) {
    try {
      socket.send(message);
    } catch (error) {
      socket.send(error.message);
    }
  }
}

serve(
  { fetch: () => new Response("page\n") },
  {
    websocket: {
      open(socket) {
        sockets.add(socket);
        if (socket.request.target === "/closes") socket.close(4003, "bye");
        if (socket.request.target === "/fails") throw new RangeError("as tested");
        if (socket.request.target === "/large") large(socket);
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
