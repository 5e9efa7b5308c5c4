// Frameworks that respond while they make their response, unchanged between their own servers and Handoff. Its word: the framework.
import http from "node:http";
import { PassThrough, Readable } from "node:stream";

/** Those who wait for the second event. @type {(() => void)[]} */
let waiting = [];
const EVENTS = { "content-type": "text/event-stream", "cache-control": "no-store" };
const LARGE_BYTES = 40 << 20; // more than a frame takes

function next() {
  for (const go of waiting) go();
  waiting = [];
  return "next";
}

const asked = () => new Promise((resolve) => waiting.push(() => resolve(undefined)));

function* large() {
  const part = Buffer.alloc(100_000, "0123456789");
  for (let left = LARGE_BYTES; left > 0; left -= part.length) yield part.subarray(0, left);
}

const left = () => console.log("the client has left");

/** Events into a Writable, which end with the second. @param {import("node:stream").Writable} to */
async function write(to) {
  to.on("close", left);
  to.write("data: 1\n\n");
  await asked();
  to.end("data: 2\n\n");
}

function listening(server) {
  server.listen(0, "127.0.0.1", () => console.log(`listening on ${server.address().port}.`));
}

async function express(name) {
  const { default: make } = await import(name);
  const { default: compression } = await import("compression");
  const app = make();
  app.use(compression());
  app.get("/events", (_request, response) => {
    response.set(EVENTS).flushHeaders();
    write(response);
    response.flush();
  });
  app.get("/next", (_request, response) => response.send(next()));
  app.get("/large", (_request, response) => Readable.from(large()).pipe(response));
  app.get("/large-length", (_request, response) => {
    response.set("content-length", String(LARGE_BYTES));
    Readable.from(large()).pipe(response);
  });
  app.get("/breaks", async (_request, response) => {
    response.write("half");
    await asked();
    response.destroy();
  });
  listening(http.createServer(app));
}

async function fastify() {
  const { default: make } = await import("fastify");
  const app = make();
  app.get("/events", (_request, reply) => {
    const events = new PassThrough();
    write(events);
    return reply.headers(EVENTS).send(events);
  });
  app.get("/next", async () => next());
  app.get("/large", (_request, reply) => reply.send(Readable.from(large())));
  app.get("/large-length", (_request, reply) =>
    reply.header("content-length", LARGE_BYTES).send(Readable.from(large())),
  );
  app.get("/breaks", (_request, reply) => reply.send(Readable.from(breaking())));
  await app.ready();
  await app.listen({ port: 0, host: "127.0.0.1" });
  console.log(`listening on ${app.server.address().port}.`);
}

async function koa() {
  const { default: Koa } = await import("koa");
  const app = new Koa();
  app.silent = true;
  app.use((context) => {
    if (context.path === "/events") {
      context.set(EVENTS);
      context.body = new PassThrough();
      write(context.body);
    } else if (context.path === "/next") context.body = next();
    else if (context.path === "/large-length") {
      context.body = Readable.from(large());
      context.length = LARGE_BYTES;
    } else context.body = Readable.from(context.path === "/large" ? large() : breaking());
  });
  listening(http.createServer(app.callback()));
}

async function* breaking() {
  yield "half";
  await asked();
  throw new Error("broken");
}

async function hono() {
  const { Hono } = await import("hono");
  const { streamSSE, stream } = await import("hono/streaming");
  const app = new Hono();
  app.get("/events", (context) => {
    context.header("cache-control", "no-store");
    return streamSSE(context, async (events) => {
      events.onAbort(left);
      await events.writeSSE({ data: "1" });
      await asked();
      await events.writeSSE({ data: "2" });
    });
  });
  app.get("/next", (context) => context.text(next()));
  app.get("/large", (context) =>
    stream(context, async (to) => {
      for (const part of large()) await to.write(part);
    }),
  );
  app.get("/large-length", (context) => {
    context.header("content-length", String(LARGE_BYTES));
    return context.body(/** @type {any} */ (ReadableStream.from(large())));
  });
  app.get("/breaks", () => {
    return new Response(ReadableStream.from(bytes(breaking())));
  });
  return app;
}

async function* bytes(texts) {
  for await (const text of texts) yield Buffer.from(text);
}

const framework = process.argv[2];
const app = framework.startsWith("hono") ? await hono() : undefined;
if (framework === "hono") {
  const { serve } = await import("@hono/node-server");
  serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => console.log(`listening on ${port}.`));
} else if (framework === "fastify") await fastify();
else if (framework === "koa") await koa();
else if (framework.startsWith("express")) await express(framework);

export default app;
