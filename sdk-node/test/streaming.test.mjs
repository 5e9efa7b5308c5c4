// Frameworks that respond while they make their response: on Handoff as on their own servers.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { test } from "node:test";
import { Process } from "./support/process.mjs";
import { app, ask, serving } from "./support/serving.mjs";

const LARGE_BYTES = 40 << 20;
const OF_THE_SERVER = new Set(["connection", "keep-alive", "date"]);

for (const framework of ["express", "express4", "fastify", "koa", "hono", "hono-export"]) {
  test(`${framework} responds while it makes its response, as on its own server`, async (context) => {
    const program = app("streaming.mjs");
    const servers = [await serving(context, [program, "--", framework])];
    if (framework !== "hono-export") {
      const direct = new Process(context, [process.execPath, program, framework]);
      const [, port] = await direct.told(/listening on (\d+)\./);
      servers.push({ port: Number(port), process: direct, url: "" });
    }
    for (const [index, { port, process: server }] of servers.entries()) {
      const where = index === 0 ? "on Handoff" : "on its own server";
      await context.test(`sends an event as soon as it is there, ${where}`, async () => {
        const { response, body } = await begun(port, "/events");
        assert.match(String(response.headers["content-type"]), /^text\/event-stream/);
        assert.equal(response.headers["transfer-encoding"], "chunked");
        assert.equal(await body.next(), "data: 1\n\n"); // before the second one is asked for
        assert.equal((await ask(port, { path: "/next" })).text, "next");
        assert.equal(await body.next(), "data: 2\n\n");
        assert.equal(await body.next(), undefined);
      });
      await context.test(`tells the application that the client has left, ${where}`, async () => {
        const before = server.output.length;
        const { response, body } = await begun(port, "/events");
        await body.next();
        response.destroy();
        await server.told(new RegExp(`^[^]{${before},}the client has left`));
        await ask(port, { path: "/next" });
      });
      await context.test(`sends more than a frame takes, ${where}`, async () => {
        const { headers, content } = await ask(port, { path: "/large" });
        assert.deepEqual([headers["content-length"], content.length], [undefined, LARGE_BYTES]);
        const expected = createHash("sha256")
          .update("0123456789".repeat(LARGE_BYTES / 10))
          .digest("hex");
        assert.equal(createHash("sha256").update(content).digest("hex"), expected);
      });
      await context.test(`keeps a content length, ${where}`, async () => {
        const { headers, content } = await ask(port, { path: "/large-length" });
        assert.deepEqual([headers["content-length"], content.length], [String(LARGE_BYTES), LARGE_BYTES]);
        assert.equal(headers["transfer-encoding"], undefined);
      });
      await context.test(`cuts the client off when it breaks half-way, ${where}`, async () => {
        const { body } = await begun(port, "/breaks");
        assert.equal(await body.next(), "half"); // the head has left, or the client gets a 500
        await ask(port, { path: "/next" });
        await assert.rejects(body.next(), { code: "ECONNRESET" });
      });
      await context.test(`responds to HEAD at once, ${where}`, async () => {
        const { status, content } = await ask(port, { path: "/large", method: "HEAD" });
        assert.deepEqual([status, content.length], [200, 0]);
      });
    }
    if (servers.length === 2) {
      const [behind, direct] = await Promise.all(
        servers.map(({ port }) => ask(port, { path: "/large-length", headers: { host: "a" } })),
      );
      assert.deepEqual(fields(behind), fields(direct));
    }
  });
}

/** A response whose head has come, and its parts one by one. */
async function begun(port, path) {
  const sent = http.get({ host: "127.0.0.1", port, path, agent: false });
  const [response] = await once(sent, "response");
  response.on("error", () => {}); // when the test leaves
  const parts = response[Symbol.asyncIterator]();
  const next = async () => (await parts.next()).value?.toString();
  return { response, body: { next } };
}

function fields({ rawHeaders }) {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name) => !OF_THE_SERVER.has(name)).sort();
}
