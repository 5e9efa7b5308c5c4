import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { app, ask, serving } from "./support/serving.mjs";

const strips = Boolean(process.features.typescript);
const program = (name) => app(`programs/${name}`);

for (const [name, response] of [
  ["commonjs.cjs", "main /a"],
  ["exported-function.cjs", "exported /a"],
  ["exported-fetch.mjs", "fetched /a"],
  ["unit.cjs", "unit /a"],
]) {
  test(`serves a program that knows nothing of Handoff: ${name}`, async (context) => {
    const { port } = await serving(context, [program(name)]);
    assert.equal((await ask(port, { path: "/a" })).text, response);
  });
}

for (const [name, source] of [
  ["knows nothing of Handoff", 'import http from "node:http";http.createServer((_, to) => to.end("ok")).listen(3000);'],
  ["imports it", 'import { serve } from "handoff-worker";serve(() => ({ body: "ok" }));'],
]) {
  test(`serves by the path of the preload, with nothing installed, a program that ${name}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "handoff-preload-"));
    context.after(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "app.mjs"), source);
    const preload = fileURLToPath(new URL("../preload.mjs", import.meta.url));
    const { port } = await serving(context, ["--", "node", "--import", preload, "app.mjs"], { cwd: folder });
    assert.equal((await ask(port, { path: "/" })).text, "ok");
  });
}

test("serves TypeScript where Node strips its types", { skip: !strips }, async (context) => {
  const { port } = await serving(context, [program("typed.ts")]);
  assert.equal((await ask(port, { path: "/" })).text, "typed");
});

test("says in one line that this Node does not strip types", { skip: strips }, async (context) => {
  const { process } = await serving(context, [program("typed.ts")]);
  await process.told(/handoff: Node\.js \S+ does not run \S+typed\.ts: TypeScript needs 22\.18 or newer/);
});

test("says of a program that serves nothing what it lacks", async (context) => {
  const { process } = await serving(context, [program("nothing.mjs")]);
  await process.told(/handoff: \S+nothing\.mjs ended without serving: it neither called listen\(\)/);
});

test("lets the first port be the application's, and other ports be ports", async (context) => {
  const { port, process } = await serving(context, [program("two-servers.mjs")]);
  await process.told(/again: true/);
  const [, metrics] = await process.told(/metrics on (\d+)\./);
  assert.equal((await ask(Number(metrics), { path: "/" })).text, "metrics");
  assert.equal((await ask(port, { path: "/" })).text, "application");
});

test("lets server.close() drain, and a program end as it wants to", async (context) => {
  const { port, process: core } = await serving(context, [program("closes.mjs")]);
  const [, pid] = await core.told(/process (\d+)\./);
  const slow = ask(port, { path: "/slow" });
  await core.told(/slow begun/);
  process.kill(Number(pid), "SIGTERM");
  assert.equal((await slow).text, "slow response");
  await core.told(/closed \/slow: true/);
  await core.told(/server closed: in order/);
});

test("closes request, response and socket when the client leaves", async (context) => {
  const { port, process } = await serving(context, [program("aborts.mjs")]);
  const client = new AbortController();
  const response = ask(port, { path: "/", signal: client.signal });
  await process.told(/waiting/);
  client.abort();
  await assert.rejects(response);
  for (const closed of ["request aborted", "request closed", "response closed", "socket closed"]) {
    await process.told(new RegExp(closed));
  }
});

for (const path of ["/destroys", "/throws"]) {
  test(`answers with a failure where node:http would have no response: ${path}`, async (context) => {
    const { port } = await serving(context, [program("aborts.mjs")]);
    const { status, headers } = await ask(port, { path });
    assert.deepEqual([status, headers["handoff-error"]], [500, "handler_failed"]);
  });
}

test("sends a listener's fields as ISO-8859-1 whatever its content is", async (context) => {
  const { port } = await serving(context, [program("latin.mjs")]);
  for (const path of ["/text", "/bytes", "/nothing"]) {
    assert.equal((await ask(port, { path })).headers["x-latin"], "é", path);
  }
});

test("tells a node:http listener by name what HTTP forbids in its response", async (context) => {
  const { port, process } = await serving(context, [program("forbidden.mjs")]);
  for (const [path, complaint] of [
    ["/value", 'Invalid character in header content \\["x-a"\\]'],
    ["/raw-value", 'Invalid character in header content \\["x-a"\\]'],
    ["/raw-name", 'Header name must be a valid HTTP token \\["x a"\\]'],
    ["/reason", "Invalid character in statusMessage"],
    ["/status-600", "the status 600 is not one that a response may have, from 200 to 599"],
    ["/status-600?later", "the status 600 is not one that a response may have, from 200 to 599"],
    ["/status-101", "the status 101 is not one that a response may have, from 200 to 599"],
  ]) {
    const { status, headers } = await ask(port, { path });
    assert.deepEqual([status, headers["handoff-error"]], [500, "handler_failed"], path);
    assert.equal(headers["x-injected"], undefined);
    await process.told(new RegExp(`handoff: GET ${path.split("?")[0]} failed: .*${complaint}`));
  }
});
