import assert from "node:assert/strict";
import { test } from "node:test";
import { app, ask, serving } from "./support/serving.mjs";

const BIG = Buffer.alloc(7 << 20, "0123456789");

test("takes a response's headers and body in every form", async (context) => {
  const { port } = await serving(context, [app("responses.mjs")]);
  for (const headers of [{}, { "x-later": "1" }]) {
    const pairs = await ask(port, { path: "/pairs", headers });
    assert.deepEqual(pairs.rawHeaders.slice(0, 4), ["X-A", "1", "x-a", "2"]);
    const object = await ask(port, { path: "/object", headers });
    assert.deepEqual([object.status, object.reason, [...object.content]], [201, "Made", [0, 255]]);
    assert.deepEqual(object.rawHeaders.slice(0, 6), ["x-list", "a", "x-list", "b", "x-number", "5"]);
    assert.equal((await ask(port, { path: "/headers", headers })).text, "hi");
    assert.equal((await ask(port, { path: "/map", headers })).headers["x-a"], "1");
    const latin = await ask(port, { path: "/latin", headers });
    assert.deepEqual([latin.headers["x-latin"], latin.text], ["\u00e4\u00ff", "grüße"]);
    assert.equal((await ask(port, { path: "/null", headers })).status, 200);
    assert.equal((await ask(port, { path: "/latin", method: "HEAD", headers })).headers["content-length"], "7");
  }
});

test("carries bodies of many megabytes both ways", async (context) => {
  const { port } = await serving(context, [app("responses.mjs")]);
  const asked = Array.from({ length: 8 }, (_, i) => {
    const headers = { "x-type": String(i) };
    return ask(port, { path: "/echo", method: "POST", headers, body: BIG.subarray(i) });
  });
  for (const [i, { headers, content }] of (await Promise.all(asked)).entries()) {
    assert.equal(headers["x-type"], String(i));
    assert.ok(content.equals(BIG.subarray(i)), `body ${i}`);
  }
});

test("tells a plain handler by name what HTTP forbids in its response", async (context) => {
  const { port, process } = await serving(context, [app("responses.mjs")]);
  for (const [path, complaint] of [
    ["/splits-fields", "the header x-a holds U\\+000D, and may hold only"],
    ["/splits-list", "the header x-list holds U\\+000A, and may hold only"],
    ["/past-latin", "the header x-a holds U\\+20AC, and may hold only"],
    ["/delete", "the header x-a holds U\\+007F, and may hold only"],
    ["/name", 'the header name "x a" is not a token'],
    ["/name-of-number", 'the header name "" is not a token'],
    ["/reason", "the reason holds U\\+000D, and may hold only"],
    ["/status-199", "the status 199 is not one that a response may have, from 200 to 599"],
    ["/status-600", "the status 600 is not one that a response may have, from 200 to 599"],
  ]) {
    for (const headers of [{}, { "x-later": "1" }]) {
      const response = await ask(port, { path: `${path}?${Object.keys(headers)}`, headers });
      assert.deepEqual([response.status, response.headers["handoff-error"]], [500, "handler_failed"], path);
      assert.equal(response.headers["x-injected"], undefined);
      await process.told(new RegExp(`handoff: GET ${path} failed: .*${complaint}`));
    }
  }
});

test("takes responses at the borders of what HTTP allows", async (context) => {
  const { port } = await serving(context, [app("responses.mjs")]);
  const { status, reason, headers } = await ask(port, { path: "/status-599" });
  assert.deepEqual([status, reason, headers["!#$%&'*+-.^_`|~9z"]], [599, '\tq"\\\u00ff', 'a\t"\\\u0080']);
});

test("tells a plain handler what it returned wrongly", async (context) => {
  const { port, process } = await serving(context, [app("responses.mjs")]);
  for (const [path, complaint] of [
    ["/status-text", /the response's status is "200", not an integer/],
    ["/no-value", /the header x-a is a undefined, not a string/],
    ["/body", /the response's body is a Object, not a string or bytes/],
    ["/string", /the handler returned "hello"; a response is \{ status, headers, body \}/],
    ["/undefined", /the handler returned undefined; a response is/],
    ["/response", /the handler returned a Response: pass it as serve\(\{ fetch: handler \}\)/],
  ]) {
    for (const headers of [{}, { "x-later": "1" }]) {
      const response = await ask(port, { path, headers });
      assert.deepEqual([response.status, response.headers["handoff-error"]], [500, "handler_failed"], path);
    }
    await process.told(complaint);
  }
});
