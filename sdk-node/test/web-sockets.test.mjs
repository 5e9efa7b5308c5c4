// WebSockets of real applications through a real core, with real clients.
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { createClient } from "graphql-ws";
import { io } from "socket.io-client";
import WebSocket from "ws";
import { app, ask, serving } from "./support/serving.mjs";

const MESSAGES = ["", "grüße €😀", Buffer.alloc(0), Buffer.from([0, 255]), "x".repeat(1 << 20), Buffer.alloc(1 << 20)];

/** @param {number} port @param {string} path @param {any[]} options of `ws` */
async function opened(port, path, ...options) {
  const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, ...options);
  await once(client, "open");
  return client;
}

/** The code and reason with which a client is closed. */
async function endOf(client) {
  const [code, reason] = await once(client, "close");
  return [code, String(reason)];
}

async function next(client) {
  const [data, isBinary] = await once(client, "message");
  return isBinary ? data : String(data);
}

/** The status of the response that refuses a client. */
async function refusalOf(client) {
  client.on("error", () => {});
  const [, response] = await once(client, "unexpected-response");
  response.resume();
  return response.statusCode;
}

test("ws serves as on node:http", async (context) => {
  const { port, process: server } = await serving(context, [app("web-sockets/ws.mjs")]);
  await context.test("pages beside it", async () => {
    assert.equal((await ask(port, { path: "/" })).text, "page\n");
  });
  for (const [index, message] of MESSAGES.entries()) {
    for (const perMessageDeflate of [false, true]) {
      await context.test(`echoes message ${index}, compressed ${perMessageDeflate}`, async () => {
        const client = await opened(port, "/", { perMessageDeflate });
        client.send(message);
        assert.deepEqual(await next(client), message);
        client.close();
      });
    }
  }
  await context.test("keeps the order of many", async () => {
    const client = await opened(port, "/");
    for (let i = 0; i < 5000; i++) client.send(`message ${i}`);
    let came = 0;
    for await (const [data] of messagesOf(client)) {
      assert.equal(String(data), `message ${came++}`);
      if (came === 5000) break;
    }
    client.close();
  });
  await context.test("agrees on a subprotocol", async () => {
    const client = await opened(port, "/", ["other", "chat"]);
    assert.equal(client.protocol, "chat");
    client.close();
  });
  await context.test("hears how a client closed", async () => {
    const client = await opened(port, "/");
    client.close(4001, "lunch");
    assert.deepEqual(await endOf(client), [4001, "lunch"]);
    await server.told(/closed 4001 lunch/);
    (await opened(port, "/")).terminate();
    await server.told(/closed 1006/);
  });
  await context.test("closes", async () => {
    assert.deepEqual(await endOf(await opened(port, "/closes")), [4002, "enough"]);
    await server.told(/closed 4002/);
  });
  await context.test("terminates", async () => {
    const [code] = await endOf(await opened(port, "/terminates"));
    assert.equal(code, 1000);
  });
  await context.test("refuses", async () => {
    assert.equal(await refusalOf(new WebSocket(`ws://127.0.0.1:${port}/refused`)), 401);
  });
  await context.test("gets the pongs to its pings", async () => {
    const client = await opened(port, "/pings");
    await server.told(/pong there/);
    client.close();
  });
  await context.test("waits for a client that reads nothing, and serves others", async () => {
    const client = await opened(port, "/floods");
    client.pause();
    const other = await opened(port, "/");
    for (let i = 0; i < 100; i++) {
      other.send(String(i));
      assert.equal(await next(other), String(i));
    }
    other.close();
    client.terminate();
    await server.told(/flood ended/);
  });
});

/** @param {WebSocket} client */
async function* messagesOf(client) {
  const waiting = [];
  let wake = () => {};
  client.on("message", (...message) => {
    waiting.push(message);
    wake();
  });
  while (true) {
    if (waiting.length === 0) {
      await new Promise((resolve) => {
        wake = resolve;
      });
    }
    yield waiting.shift();
  }
}

test("the chat of Socket.IO's tutorial works", async (context) => {
  const { port, process: server } = await serving(context, [app("web-sockets/socket-io.mjs")]);
  assert.equal((await ask(port, { path: "/" })).text, "<h1>Hello world</h1>");
  for (const transports of [["websocket"], ["polling", "websocket"]]) {
    await context.test(transports.join(" and then "), async () => {
      const clients = [0, 1].map(() => io(`http://127.0.0.1:${port}`, { transports, forceNew: true }));
      await Promise.all(clients.map((client) => once(client, "connect")));
      const heard = Promise.all(clients.map((client) => once(client, "chat message")));
      clients[0].emit("chat message", "hello");
      assert.deepEqual(await heard, [["hello"], ["hello"]]);
      for (const client of clients) client.disconnect();
      await server.told(/user disconnected/);
    });
  }
});

test("a subscription of graphql-ws comes by a WebSocket", async (context) => {
  const { port } = await serving(context, [app("web-sockets/graphql.mjs")]);
  const client = createClient({ url: `ws://127.0.0.1:${port}/graphql`, webSocketImpl: WebSocket });
  const greetings = [];
  for await (const { data } of client.iterate({ query: "subscription { greetings }" })) greetings.push(data?.greetings);
  assert.deepEqual(greetings, ["Hi", "Bonjour", "Hola", "Ciao", "Zdravo"]);
  await client.dispose();
});

test("handlers serve WebSockets beside fetch", async (context) => {
  const { port, process: server } = await serving(context, [app("web-sockets/fetch.mjs")]);
  assert.equal((await ask(port, { path: "/" })).text, "page\n");
  await context.test("in a room for all", async () => {
    const clients = [await opened(port, "/room"), await opened(port, "/room")];
    for (const message of ["hello", Buffer.from("bytes")]) {
      const heard = Promise.all(clients.map(next));
      clients[0].send(message);
      assert.deepEqual(await heard, [message, message]);
    }
    clients[0].close(4001, "lunch");
    await server.told(/closed 4001 lunch after 2/);
    clients[1].terminate();
    await server.told(/closed 1006 {2}after 0/);
  });
  await context.test("closing and failing", async () => {
    assert.deepEqual(await endOf(await opened(port, "/closes")), [4003, "bye"]);
    await server.told(/closed 4003 bye after 0/);
    assert.deepEqual(await endOf(await opened(port, "/fails")), [1011, "handler_failed"]);
    await server.told(/RangeError: as tested/);
    await server.told(/closed 1011 {2}after 0/);
  });
  await context.test("a message that the core does not take costs its sender alone", async () => {
    const client = new WebSocket(`ws://127.0.0.1:${port}/large`);
    const messages = messagesOf(client);
    assert.equal((await messages.next()).value[0].length, 100_000);
    for (const size of [35651584, 34603008]) {
      assert.match(String((await messages.next()).value[0]), new RegExp(`has ${size} bytes`));
    }
    client.close();
  });
  await context.test("with subprotocols and origins", async () => {
    const client = await opened(port, "/room", ["chat", "chat.v2"], { origin: "https://example.org" });
    assert.equal(client.protocol, "chat.v2");
    client.close();
    const refused = new WebSocket(`ws://127.0.0.1:${port}/room`, { origin: "https://evil.example" });
    assert.equal(await refusalOf(refused), 403);
  });
});

test("who reads the socket comes to its end when a client is gone", async (context) => {
  const { port, process: server } = await serving(context, [app("web-sockets/reads.mjs")]);
  const before = (await ask(port, { path: "/" })).text;
  for (const path of ["/for-await", "/pipeline"]) {
    const client = await opened(port, path);
    client.terminate();
    await server.told(new RegExp(`${path} read to its end`));
    await server.told(new RegExp(`${path} closed`));
  }
  assert.equal((await ask(port, { path: "/" })).text, before);
});

test("the end of a worker is told", async (context) => {
  const { port, process: server } = await serving(context, [app("web-sockets/ws.mjs")]);
  const reloaded = await opened(port, "/");
  const ended = endOf(reloaded);
  server.signal("SIGHUP");
  assert.deepEqual(await ended, [1001, "worker_drained"]);
  const client = await opened(port, "/");
  client.send("still served");
  assert.equal(await next(client), "still served");
});
