import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ask, serving } from "../../sdk-node/test/support/serving.mjs";

const example = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const asJson = (body) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

for (const [name, requests] of [
  ["hello.mjs", [[{ path: "/" }, "hello\n"]]],
  ["sdk-hello.mjs", [[{ path: "/" }, "hello\n"]]],
  [
    "fetch-handler.mjs",
    [
      [{ path: "/?name=you" }, '{"hello":"you"}'],
      [{ path: "/", ...asJson({ a: 1 }) }, '{"received":{"a":1}}'],
      [{ path: "/slow" }, '{"steps":100}'],
    ],
  ],
  [
    "express-app/app.mjs",
    [
      [{ path: "/" }, "Hello World!"],
      [{ path: "/greetings/you" }, '{"greeting":"Hello you","from":"127.0.0.1"}'],
      [{ path: "/sum", ...asJson({ numbers: [1, 2] }) }, '{"sum":3}'],
      [{ path: "/sum", ...asJson({}) }, '{"error":"send { numbers: [1, 2] }"}'],
    ],
  ],
  [
    "fastify-app/app.mjs",
    [
      [{ path: "/" }, '{"hello":"world"}'],
      [{ path: "/sum", ...asJson({ numbers: [1, 2] }) }, '{"sum":3}'],
    ],
  ],
]) {
  test(`${name} answers as it says`, async (context) => {
    const { port } = await serving(context, [example(name)]);
    for (const [request, text] of requests) assert.equal((await ask(port, request)).text, text);
  });
}

test("events.mjs shows a clock that goes on", async (context) => {
  const { port, process } = await serving(context, [example("events.mjs")]);
  const page = await ask(port, { path: "/" });
  assert.match(page.text, /new EventSource\("\/events"\)/);
  const [clock] = await once(http.get({ host: "127.0.0.1", port, path: "/events", agent: false }), "response");
  assert.equal(clock.headers["content-type"], "text/event-stream");
  let events = "";
  for await (const part of clock) {
    events += part;
    if (/^data: one moment\n\n(data: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\n\n){2}$/.test(events)) break; // which ends the request
  }
  process.signal("SIGTERM");
  assert.equal(await process.ended(), 0);
});
