import { serve } from "@hono/node-server";
import { Hono } from "hono";

const app = new Hono();
app.get("/", (context) => context.text("Hello Hono"));
app.get("/json", (context) => context.json({ url: context.req.url, agent: context.req.header("x-agent") }));
app.get("/cookies", (context) => {
  context.header("set-cookie", "a=1", { append: true });
  context.header("set-cookie", "b=2", { append: true });
  return context.body(null);
});
app.get("/stream", () => new Response(new Blob(["from ", "a blob"]).stream()));
app.get("/redirect", (context) => context.redirect("/"));
app.get("/throws", () => {
  throw new Error("thrown");
});
app.post("/echo", async (context) => context.json(await context.req.json()));
app.post("/form", async (context) => context.json(await context.req.parseBody()));
app.use("/late", async (context, next) => {
  await next();
  context.res.headers.set("x-after", "1");
});
app.get("/late", (context) => context.html("<p>late</p>"));

if (process.argv[2] !== "export")
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`listening on ${port}.`));

export default app;
