import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.get("/", (context) => context.text("hello\n"));

// With a port, on its own server.
if (process.argv[2]) serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: "127.0.0.1" });

export default app;
