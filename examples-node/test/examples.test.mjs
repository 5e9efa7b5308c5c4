import assert from "node:assert/strict";
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
