// Commands whose application is not the process that the core starts.
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort, isOpen } from "./support/ports.mjs";
import { Process } from "./support/process.mjs";
import { app, ask, serving } from "./support/serving.mjs";

const SERVER = "require('node:http').createServer((_, to) => to.end('ok')).listen(process.env.PORT)";

function folderOf(context, files) {
  const folder = mkdtempSync(join(tmpdir(), "handoff-processes-"));
  context.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

async function serves(context, handler, how) {
  const { port } = await serving(context, handler, how);
  assert.equal((await ask(port, { path: "/" })).text, "ok");
}

test("serves what npm starts, of which npm itself knows nothing", async (context) => {
  const scripts = { start: "node server.js" };
  const cwd = folderOf(context, { "package.json": JSON.stringify({ name: "a", scripts }), "server.js": SERVER });
  await serves(context, ["--", "npm", "start"], { cwd });
});

test("serves what a shell starts, with the options that the user gives to Node", async (context) => {
  const cwd = folderOf(context, {
    "own.cjs": "globalThis.own = 'ok'",
    "server.js": SERVER.replace("'ok'", "globalThis.own"),
  });
  const environment = { NODE_OPTIONS: "--require=./own.cjs" };
  await serves(context, ["--", "sh", "-c", "node server.js; true"], { cwd, environment });
});

test("says which worker has the debugger", async (context) => {
  const cwd = folderOf(context, { "server.js": SERVER });
  const command = ["--", "node", "--inspect=127.0.0.1:0", "server.js"];
  const { process } = await serving(context, command, { cwd });
  const [, port] = await process.told(/default-1 \| handoff: default-1 has the debugger: ws:\/\/127\.0\.0\.1:(\d+)\//);
  assert.ok(await isOpen(Number(port)));
});

test("serves an executable without an extension, and a package by its folder", async (context) => {
  const cwd = folderOf(context, {
    server: `#!/usr/bin/env node\n${SERVER}`,
    "package.json": '{"main": "main"}',
    "main.js": SERVER,
  });
  chmodSync(join(cwd, "server"), 0o755);
  await serves(context, ["./server"], { cwd });
  await serves(context, ["."], { cwd });
});

test("serves by one of a cluster's processes, which its primary sees listen, and keeps the others", async (context) => {
  const port = await freePort();
  const { port: public_, process } = await serving(context, [
    "--",
    "node",
    app("programs/forks.mjs"),
    "cluster",
    `${port}`,
  ]);
  const response = (await ask(public_, { path: "/" })).text;
  assert.match(response, /^cluster \d+$/);
  await process.told(
    /one worker is one process, and another one of this cluster is it: .*[\s\S]*one worker is one process/,
  );
  await process.told(new RegExp(`(primary sees port ${port}\\.[\\s\\S]*){3}`));
  assert.equal((await ask(public_, { path: "/" })).text, response);
  assert.doesNotMatch(process.output, /primary lost one/);
  assert.equal(await isOpen(port), false);
});

test("serves by a child, if that listens at the application's port", async (context) => {
  const port = await freePort();
  const { port: public_ } = await serving(context, ["--", "node", app("programs/forks.mjs"), "fork", `${port}`], {
    options: ["--app-port", `${port}`],
  });
  assert.match((await ask(public_, { path: "/" })).text, /^child \d+$/);
});

for (const [what, words, environment] of [
  ["without a token", ["-e", "require('http').createServer().listen(0, function () { this.close(); })"], {}],
  ["that is no application", ["-p", "0"], { HANDOFF_TOKEN: "secret", HANDOFF_SOCKET: "/nowhere" }],
]) {
  test(`leaves a process alone ${what}`, async (context) => {
    const preload = app("../../src/preload/every-process.cjs");
    const env = { ...process.env, NODE_OPTIONS: `--require=${preload}`, ...environment };
    const child = new Process(context, [process.execPath, ...words], { env });
    assert.equal(await child.ended(), 0);
    assert.equal(child.output, words[0] === "-p" ? "0\n" : "");
  });
}
