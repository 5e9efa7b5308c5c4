// HANDOFF_READY_FILE and ready.mjs: a health check that fails while the worker takes no requests.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Process } from "./support/process.mjs";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const WORKER = app("worker.mjs");
const READY = fileURLToPath(new URL("../ready.mjs", import.meta.url));
const HANDOFF = fileURLToPath(new URL("../../handoff", import.meta.url));
const PATIENCE_MILLIS = 60_000;

function fileOf(context) {
  const folder = mkdtempSync(join(tmpdir(), "handoff-ready-"));
  context.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "ready");
}

/** The exit code of the check, and what it says. */
function checked(file) {
  const { status, stdout } = spawnSync(process.execPath, [READY], {
    env: { ...process.env, HANDOFF_READY_FILE: file },
    encoding: "utf8",
  });
  return [status, stdout.trim()];
}

async function until(holds) {
  const deadline = Date.now() + PATIENCE_MILLIS;
  while (!holds()) {
    assert.ok(Date.now() < deadline);
    await setTimeout(10);
  }
}

/** A worker that somebody else than the core has started, before its core has said anything. */
function started(context, file) {
  const core = new TestCore(context);
  const worker = core.start(context, WORKER, { token: "", environment: { HANDOFF_READY_FILE: file } });
  return { core, worker };
}

test("is there once the window is open", async (context) => {
  const file = fileOf(context);
  const { core, worker } = started(context, file);
  assert.deepEqual(checked(file), [1, `no worker is ready: ${file} is not there`]);
  await core.welcome();
  assert.equal(readFileSync(file, "utf8").split(" ")[0].trim(), String(worker.pid));
  assert.deepEqual(checked(file), [0, "ready"]);
  assert.deepEqual(readdirSync(join(file, "..")), ["ready"]);
});

test("goes when the connection is lost, and comes again", async (context) => {
  const file = fileOf(context);
  const { core } = started(context, file);
  await core.welcome();
  core.end();
  assert.equal((await core.next()).type, "end");
  core.messages.unshift(await core.next());
  assert.ok(!existsSync(file), "it has said hello, and is not welcomed");
  await core.welcome();
  assert.ok(existsSync(file));
});

test("goes before the worker says drain", async (context) => {
  const file = fileOf(context);
  const { core, worker } = started(context, file);
  await core.welcome();
  worker.signal("SIGTERM");
  assert.equal((await core.next()).type, "drain");
  assert.ok(!existsSync(file));
  core.end();
  assert.equal(await worker.ended(), 0);
  assert.ok(!existsSync(file));
});

test("goes when the core says drain", async (context) => {
  const file = fileOf(context);
  const { core } = started(context, file);
  await core.welcome();
  core.send({ type: "drain" });
  await until(() => !existsSync(file));
});

test("is not believed when a killed process has left it, and goes when the next one starts", async (context) => {
  const file = fileOf(context);
  const { core, worker } = started(context, file);
  await core.welcome();
  worker.signal("SIGKILL");
  await worker.ended();
  assert.ok(existsSync(file));
  assert.deepEqual(checked(file), [1, `the process ${worker.pid}, which was ready, is gone`]);
  assert.equal((await core.next()).type, "end");
  core.start(context, WORKER, { token: "", environment: { HANDOFF_READY_FILE: file } });
  assert.equal((await core.next()).type, "hello");
  assert.ok(!existsSync(file));
});

test("is left alone by workers of the core", async (context) => {
  const file = fileOf(context);
  writeFileSync(file, "1\n");
  const core = new TestCore(context);
  core.start(context, WORKER, { environment: { HANDOFF_READY_FILE: file } });
  await core.welcome();
  assert.equal(readFileSync(file, "utf8"), "1\n");
});

test("keeps nobody from serving where it cannot be written", async (context) => {
  const { core, worker } = started(context, join(fileOf(context), "nowhere"));
  await core.welcome();
  core.request(1, "/a");
  assert.equal((await core.next()).body, "GET /a");
  await worker.told(/HANDOFF_READY_FILE cannot be written/);
});

const tellsStart = { skip: !existsSync("/proc/self/stat") && "the system does not say when a process started" };

test("is not believed of a process that has the id of an earlier one", tellsStart, (context) => {
  const file = fileOf(context);
  writeFileSync(file, `${process.pid} 1\n`);
  assert.deepEqual(checked(file), [1, `the process ${process.pid}, which was ready, is gone`]);
  writeFileSync(file, `${process.pid}\n`);
  assert.deepEqual(checked(file), [0, "ready"], "the id alone is enough");
});

test("is not believed without an id", (context) => {
  const file = fileOf(context);
  for (const content of ["", "ready\n", "-1\n"]) {
    writeFileSync(file, content);
    assert.deepEqual(checked(file), [1, `${file} does not begin with the id of a process`]);
  }
  assert.match(checked("").join(" "), /^1 HANDOFF_READY_FILE is not set/);
});

test("follows a real core, which comes after the worker and goes before it", async (context) => {
  const file = fileOf(context);
  const socket = join(file, "..", "core.sock");
  new Process(context, [process.execPath, WORKER], {
    env: { ...process.env, HANDOFF_SOCKET: socket, HANDOFF_READY_FILE: file },
  });
  const core = new Process(context, [HANDOFF, "serve", "--socket", socket, "--port", "0", "--admin-port", "0"]);
  await until(() => checked(file)[0] === 0);
  core.signal("SIGTERM");
  await until(() => checked(file)[0] === 1);
});
