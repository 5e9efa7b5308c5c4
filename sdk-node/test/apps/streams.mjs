// Responses in pieces. Its word says how they are made: node, fetch or plain; the target says which.
import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { serve, serveNode } from "handoff-worker";

const TURNS = 3;
const PIECE_BYTES = 64 * 1024;
/** What waits until the test says so, by the path that asked for it. @type {Map<string, () => void>} */
const waiting = new Map();
const nextTurn = () => new Promise((resolve) => setTimeout(resolve, 5));

/** The bytes that this process has in use. */
async function heap() {
  for (let turn = 0; turn < 3; turn++) {
    await new Promise(setImmediate);
    globalThis.gc();
  }
  const { heapUsed, external } = process.memoryUsage();
  return `${heapUsed + external}`;
}

/** The parts of a response, and what happens to who makes them. */
async function* parts(target) {
  const [, what, word] = target.split("/");
  try {
    switch (what) {
      case "at-once":
        yield "one ";
        yield "two ";
        yield "three";
        return;
      case "turns":
        for (let turn = 1; turn <= TURNS; turn++) {
          yield `turn ${turn} `;
          await nextTurn();
        }
        return;
      case "long":
        for (let left = Number(word); left > 0; left -= 100_000) yield Buffer.alloc(Math.min(left, 100_000), "x");
        return;
      case "for-ever":
        for (;;) yield Buffer.alloc(10_000, "x");
      case "settles":
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        console.log("settled.");
        return;
      case "waits":
        yield "begun";
        await new Promise((resolve) => waiting.set(word, resolve));
        yield "released";
        return;
      case "fails":
        yield "half";
        await nextTurn();
        throw new Error("failed in mid-stream");
      case "fails-at-once":
        throw new Error("failed at once");
    }
  } finally {
    console.log(`${target} is over.`);
  }
}

async function listener(request, response) {
  const { url } = request;
  response.on("close", () => console.log(`${url} closed, ${response.writableFinished ? "finished" : "unfinished"}.`));
  request.on("close", () => console.log(`${url}: request closed.`));
  if (url === "/release/a") {
    waiting.get("a")();
    response.end("done");
  } else if (url === "/length") {
    response.writeHead(200, { "content-length": 5 });
    response.write("123");
    await nextTurn();
    response.end("45");
  } else if (url === "/flushed") {
    response.writeHead(201, { "x-early": "1" }).flushHeaders();
    await sleep(20);
    response.end("late");
  } else if (url === "/drain") {
    for (let at = 0; at < 5; at++) {
      const needsDrain = !response.write(Buffer.alloc(60_000, String(at)));
      console.log(`write ${at}: ${needsDrain} ${response.writableNeedDrain}`);
      if (needsDrain) await once(response, "drain");
    }
    response.end();
  } else if (url === "/callbacks") {
    for (let at = 0; at < 4; at++) {
      await new Promise((resolve) => response.write(Buffer.alloc(60_000, String(at)), resolve));
      console.log(`written ${at}`);
    }
    response.end(() => console.log("finish"));
  } else if (url === "/callback-of-broken") {
    response.write(Buffer.alloc(200_000), (error) => console.log(`called back: ${error?.message}`));
    response.on("finish", () => console.log("must not finish"));
    response.end();
  } else if (url === "/throws-at-drain") {
    process.on("uncaughtException", (error) => console.log(`caught: ${error.message}`));
    response.write(Buffer.alloc(PIECE_BYTES));
    response.on("drain", () => {
      throw new Error("at drain");
    });
  } else if (url === "/destroyed") {
    response.write("half");
    await nextTurn();
    response.destroy(new Error("given up"));
  } else if (url === "/piped") {
    Readable.from(parts("/long/1000000")).pipe(response);
  } else if (url === "/throws-behind-end") {
    response.write(Buffer.alloc(200_000, "x"));
    response.end();
    throw new Error("behind the end");
  } else if (url === "/uncaught") {
    setImmediate(() => {
      throw new Error("nobody catches");
    });
  } else if (url === "/events") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: 1\n\n");
    await sleep(20);
    response.end("data: 2\n\n");
  } else if (url === "/whole") {
    response.end("x".repeat(2_000_000));
  } else if (url === "/heap") {
    response.end(await heap());
  } else {
    await pipeline(parts(url), response).catch((error) => {
      console.log(`pipeline: ${error.message}`);
      if (!response.destroyed) throw error;
    });
  }
}

function body(target) {
  const [, what] = target.split("/");
  if (what === "release") waiting.get("a")();
  else if (what === "readable") return new PassThrough({ destroy: (error, callback) => over(target, error, callback) });
  else if (what === "sync") return infinite(target);
  else if (what === "numbers") return [1, 2];
  else if (what === "whole") return "x".repeat(2_000_000);
  else return parts(target);
  return "done";
}

/** Asks for the signal when the response is under way. */
async function* untilAborted(request, target) {
  yield "begun";
  await nextTurn();
  const { signal } = request;
  if (!signal.aborted) await once(signal, "abort");
  console.log(`${target}: ${signal.reason.name}`);
}

function over(target, error, callback) {
  console.log(`${target} is over: ${error?.name}.`);
  callback();
}

function* infinite(target) {
  try {
    for (;;) yield "x".repeat(10_000);
  } finally {
    console.log(`${target} is over.`);
  }
}

function fetchBody(target) {
  if (target === "/silent") {
    return new ReadableStream({ cancel: (reason) => console.log(`${target} is over: ${reason.name}.`) });
  }
  if (target === "/no-bytes") return new ReadableStream({ start: (controller) => controller.enqueue(1) });
  const made = body(target);
  return typeof made === "string" ? made : ReadableStream.from(encoded(made));
}

async function* encoded(source) {
  for await (const part of source) yield typeof part === "string" ? Buffer.from(part) : part;
}

if (process.argv[2] === "node") serveNode(listener);
else if (process.argv[2] === "fetch") {
  serve({
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/signal") return new Response(ReadableStream.from(encoded(untilAborted(request, pathname))));
      return pathname === "/heap" ? heap().then((bytes) => new Response(bytes)) : new Response(fetchBody(pathname));
    },
  });
} else {
  serve((request) => {
    const { target } = request;
    if (target === "/signal") return { body: untilAborted(request, target) };
    return target === "/heap" ? heap().then((bytes) => ({ body: bytes })) : { body: body(target) };
  });
}
