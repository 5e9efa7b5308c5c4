// Uploads whose handlers begin before they are whole, through a real core: `--request-body stream`.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { app, ask, serving } from "./support/serving.mjs";

const CONTENT = randomBytes(3_000_000);
const DIGEST = `${CONTENT.length} ${createHash("sha256").update(CONTENT).digest("hex").slice(0, 16)}`;
const OCTETS = { "Content-Type": "application/octet-stream" };

/** By the word of the program: a path that takes raw content. */
const KINDS = { node: "/", express: "/raw", fastify: "/stream", koa: "/stream", fetch: "/", plain: "/", stream: "/" };

/** Sends the content in chunks, and returns the text of the response. */
async function askInChunks(port, path) {
  const sent = http.request({ port, method: "POST", path, agent: false, headers: OCTETS });
  for (let from = 0; from < CONTENT.length; from += 100_000) sent.write(CONTENT.subarray(from, from + 100_000));
  sent.end();
  const [response] = await once(sent, "response");
  return Buffer.concat(await response.toArray()).toString();
}

for (const [kind, path] of Object.entries(KINDS)) {
  test(`content arrives as it comes: ${kind}`, async (context) => {
    const { port } = await serving(context, [app("uploads.mjs"), "--", kind], {
      options: ["--request-body", "stream"],
    });
    const sized = await ask(port, { method: "POST", path, headers: OCTETS, body: CONTENT });
    assert.equal(sized.text, DIGEST);
    assert.equal(await askInChunks(port, path), DIGEST);
    const small = await ask(port, { method: "POST", path, headers: OCTETS, body: "small" });
    assert.match(small.text, /^5 /);
  });
}

for (const kind of ["node", "fetch"]) {
  test(`each piece reaches the handler before the next is sent: ${kind}`, async (context) => {
    const { port } = await serving(context, [app("uploads.mjs"), "--", kind], {
      options: ["--request-body", "stream"],
    });
    const sent = http.request({ port, method: "POST", path: "/echo", agent: false });
    sent.write("one");
    const [response] = await once(sent, "response");
    assert.equal(response.headers.connection, "close");
    const pieces = response.iterator();
    assert.equal(String((await pieces.next()).value), "one");
    sent.write("two");
    assert.equal(String((await pieces.next()).value), "two");
    sent.end();
    assert.equal((await pieces.next()).done, true);
  });
}

test("the handler hears that the rest does not come", async (context) => {
  const { port, process } = await serving(context, [app("uploads.mjs"), "--", "node"], {
    options: ["--request-body", "stream"],
  });
  const sent = http.request({ port, method: "POST", path: "/cut", agent: false, headers: { "Content-Length": 10 } });
  sent.on("error", () => {});
  sent.write("one");
  await process.told(/\/cut begins/);
  sent.destroy();
  await process.told(/\/cut: aborted\./);
});

test("handlers that wait for content which does not come take no place", async (context) => {
  const { port, process } = await serving(context, [app("uploads.mjs"), "--", "node"], {
    options: ["--request-body", "stream", "--concurrency", "2"],
  });
  for (let i = 1; i <= 5; i++) {
    const path = `/until-its-end/${i}`;
    const sent = http.request({ port, method: "POST", path, agent: false, headers: { "Content-Length": 10 } });
    sent.on("error", () => {});
    sent.write("one");
    await process.told(new RegExp(`${path} begins`));
    sent.destroy();
    await process.told(new RegExp(`${path}: aborted\\.`));
  }
  const whole = await ask(port, { method: "POST", path: "/until-its-end", headers: OCTETS, body: CONTENT });
  assert.equal(whole.text, `${CONTENT.length}`);
});
