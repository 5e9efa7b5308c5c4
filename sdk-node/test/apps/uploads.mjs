// Requests in pieces. Its word says who takes them: node, express, fetch, plain or stream; the target says how.
import { createHash } from "node:crypto";
import { json } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { serve, serveNode } from "handoff-worker";

/** What waits until the test says so, by its path. @type {Map<string, () => void>} */
const waiting = new Map();
const released = (path) => new Promise((resolve) => waiting.set(path, resolve));

/** How much there was, and its hash. */
async function digest(source) {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const piece of source) {
    bytes += piece.length;
    hash.update(piece);
  }
  return `${bytes} ${hash.digest("hex").slice(0, 16)}`;
}

/** What all kinds of handlers do with a body: `source` gives it. */
async function answer(target, source) {
  console.log(`${target} begins.`);
  if (target === "/release") {
    for (const release of waiting.values()) release();
    return "released";
  }
  if (target === "/small") return "small";
  if (target.startsWith("/early")) return "early";
  if (target === "/floating") {
    digest(source()).then((told) => console.log(`${target}: ${told}.`));
    return "early";
  }
  if (target === "/wrapped") {
    digest(source()).catch((cause) => Promise.reject(new TypeError("not saved", { cause })));
    return "early";
  }
  if (target.startsWith("/waits")) await released(target);
  if (target === "/first") {
    for await (const piece of source()) return `first ${piece.length}`;
  }
  try {
    return await digest(source());
  } catch (error) {
    console.log(`${target}: ${error.name}: ${error.code ?? ""} ${error.message}.`);
    throw error;
  }
}

async function listener(request, response) {
  const { url } = request;
  for (const event of ["aborted", "end", "close"]) request.on(event, () => console.log(`${url}: ${event}.`));
  if (url === "/piped") {
    const hash = createHash("sha256");
    await pipeline(request, hash);
    response.end(hash.read().toString("hex").slice(0, 16));
  } else if (url === "/echo") {
    await pipeline(request, response);
  } else if (url === "/paused") {
    let bytes = 0;
    request.on("data", (piece) => {
      bytes += piece.length;
    });
    request.pause();
    await released(url);
    request.resume();
    request.on("end", () => response.end(`${bytes} ${request.complete}`));
  } else if (url.startsWith("/until-its-end")) {
    console.log(`${url} begins.`);
    let bytes = 0;
    request.on("data", (piece) => {
      bytes += piece.length;
    });
    request.on("end", () => response.end(`${bytes}`));
  } else if (url === "/early-while-reading") {
    request.on("error", (error) => console.log(`${url}: ${error.code} ${error.message}.`));
    request.once("data", () => response.end("early"));
  } else if (url === "/dropped") {
    request.resume();
    response.end("early");
  } else if (url === "/collected") {
    let bytes = 0;
    request.on("data", ({ length }) => {
      bytes += length;
    });
    request.on("end", () => console.log(`${url}: ${bytes} bytes.`));
    request.on("error", (error) => console.log(`${url}: ${error.code} ${error.message}.`));
    response.end("early");
  } else {
    const content = await answer(url, () => request).catch(() => undefined);
    if (content === undefined) response.destroy();
    else response.end(content);
  }
}

async function expressApplication() {
  const { default: express } = await import("express");
  const { default: multer } = await import("multer");
  const app = express();
  app.post("/json", express.json({ limit: "50mb" }), ({ body }, response) => response.send(`${body.text.length}`));
  app.post("/too-large", express.json({ limit: "1kb" }), (_request, response) => response.send("not refused"));
  app.post("/raw", express.raw({ limit: "50mb", type: () => true }), async ({ body }, response) => {
    response.send(await digest([body]));
  });
  app.post("/form", multer().single("file"), async ({ file }, response) => response.send(await digest([file.buffer])));
  app.use((_error, _request, response, _next) => response.status(413).send("too large"));
  return app;
}

async function fastifyListener() {
  const { default: fastify } = await import("fastify");
  const app = fastify({ bodyLimit: 50_000_000 });
  app.addContentTypeParser("application/octet-stream", (_request, payload, done) => done(null, payload));
  app.post("/json", async ({ body }) => `${body.text.length}`);
  app.post("/stream", async ({ body }) => digest(body));
  await app.ready();
  return app.routing;
}

async function koaListener() {
  const { default: Koa } = await import("koa");
  const app = new Koa();
  app.use(async (context) => {
    if (context.path === "/stream") context.body = await digest(context.req);
    else context.body = `${(await json(context.req)).text.length}`;
  });
  return app.callback();
}

async function fetchHandler(request) {
  const { pathname } = new URL(request.url);
  switch (pathname) {
    case "/array-buffer":
      return new Response(await digest([Buffer.from(await request.arrayBuffer())]));
    case "/text":
      return new Response(await digest([Buffer.from(await request.text())]));
    case "/json":
      return new Response(`${(await request.json()).text.length}`);
    case "/clone":
      return new Response(await digest([Buffer.from(await request.clone().arrayBuffer())]));
    case "/form": {
      const file = (await request.formData()).get("file");
      return new Response(await digest([Buffer.from(await file.arrayBuffer())]));
    }
    case "/echo":
      return new Response(request.body);
    case "/aborted":
      sleep(60_000, undefined, { signal: request.signal }); // its AbortError has that of the request as its cause
      return new Promise(() => {});
    default:
      return new Response(await answer(pathname, () => request.body));
  }
}

const kind = process.argv[2];
if (kind === "node") serveNode(listener);
else if (kind === "express") serveNode(expressApplication());
else if (kind === "fastify") serveNode(fastifyListener());
else if (kind === "koa") serveNode(koaListener());
else if (kind === "fetch") serve({ fetch: fetchHandler });
else if (kind === "plain") {
  serve(async (request) => {
    if (request.target === "/joined-stream") return { body: await digest(request.stream()) };
    if (request.target === "/sleeps") await sleep(10);
    return { body: await answer(request.target, () => [request.body]) };
  });
} else {
  serve(async (request) => ({ body: await answer(request.target, () => request.stream()) }), { requestBody: "stream" });
}
