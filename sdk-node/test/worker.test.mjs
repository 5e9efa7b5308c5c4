import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Process } from "./support/process.mjs";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const WORKER = app("worker.mjs");
const INDEX = new URL("../index.mjs", import.meta.url).href;

async function welcomed(context, how) {
  const core = new TestCore(context);
  const worker = core.start(context, WORKER, how);
  const { hello, concurrency } = await core.welcome();
  return { core, worker, hello, concurrency };
}

test("says hello with what its environment told, and opens its window after welcome", async (context) => {
  const environment = { HANDOFF_POOL: "api", HANDOFF_WORKER: "api-1", HANDOFF_CONCURRENCY: "7" };
  const { hello, concurrency, worker } = await welcomed(context, { environment });
  assert.equal(hello.concurrency, 0);
  assert.equal(hello.pool, "api");
  assert.equal(hello.name, "api-1");
  assert.equal(hello.token, "secret");
  assert.equal(hello.pid, worker.pid);
  assert.equal(hello.host, hostname());
  assert.match(hello.sdk, /^handoff-worker \d/);
  assert.equal(concurrency, 7);
});

test("takes a thousand requests at once, as handlers mostly wait", async (context) => {
  const { core, concurrency } = await welcomed(context);
  assert.equal(concurrency, 1000);
  for (let id = 1; id < concurrency; id++) core.request(id, "/wait");
  core.request(concurrency, "/quick");
  assert.equal((await core.next()).id, concurrency);
});

test("answers in any order", async (context) => {
  const { core } = await welcomed(context);
  core.request(1, "/wait");
  core.request(2, "/second");
  assert.equal((await core.next()).id, 2);
  core.request(3, "/release");
  const ids = [(await core.next()).id, (await core.next()).id];
  assert.deepEqual(ids.sort(), [1, 3]);
});

test("answers ping, and ignores types and keys that it does not know", async (context) => {
  const { core } = await welcomed(context);
  core.send({ type: "socket_data", id: 1 }, "body");
  core.send({ type: "ping", newer: [1] });
  assert.equal((await core.next()).type, "pong");
  core.request(1, "/a", { newer: { b: null } });
  assert.equal((await core.next()).body, "GET /a");
});

test("reads requests that another core writes with other blanks and keys in another order", async (context) => {
  const { core } = await welcomed(context);
  const head = { id: 4, type: "request", headers: [], client: "a:1", version: "1.1", target: '/"', method: "GET" };
  core.send({ ...head, timeoutMillis: 1 });
  assert.equal((await core.next()).body, 'GET /"');
});

test("answers a cancelled request once, and aborts its signal", async (context) => {
  const { core, worker } = await welcomed(context);
  core.request(1, "/until-abort");
  core.send({ type: "cancel", id: 1, reason: "client_gone" });
  const response = await core.next();
  assert.deepEqual([response.type, response.id], ["failure", 1]);
  await worker.told(/aborted: AbortError/);
  core.request(2, "/until-abort");
  core.send({ type: "cancel", id: 2, reason: "deadline" });
  assert.equal((await core.next()).id, 2);
  await worker.told(/aborted: TimeoutError/);
  core.send({ type: "ping" });
  assert.equal((await core.next()).type, "pong", "nothing was answered twice");
});

test("leaves a cancel unanswered when a window of cancelled handlers still runs", async (context) => {
  const { core } = await welcomed(context, { environment: { HANDOFF_CONCURRENCY: "1" } });
  core.request(1, "/wait");
  core.send({ type: "cancel", id: 1, reason: "deadline" });
  assert.equal((await core.next()).id, 1);
  core.request(2, "/wait");
  core.send({ type: "cancel", id: 2, reason: "deadline" });
  core.send({ type: "ping" });
  assert.equal((await core.next()).type, "pong", "the second is not answered");
  core.request(3, "/release");
  const responses = [await core.next(), await core.next()];
  assert.deepEqual(responses.map(({ id }) => id).sort(), [2, 3], "before its handler ends");
});

test("turns an exception into a failure, with its trace in the log", async (context) => {
  const { core, worker } = await welcomed(context);
  core.request(1, "/throw/oops");
  const response = await core.next();
  assert.deepEqual([response.type, response.message], ["failure", "Error: oops"]);
  await worker.told(/GET \/throw\/oops failed: Error: oops\n\s+at /);
});

test("sends a failure in place of a body over the core's limit", async (context) => {
  const core = new TestCore(context);
  core.start(context, WORKER);
  await core.welcome({ jsonBytes: 1000, bodyBytes: 100 });
  core.request(1, "/long/100");
  assert.equal((await core.next()).body.length, 100);
  core.request(2, "/long/101");
  const response = await core.next();
  assert.equal(response.type, "failure");
  assert.match(response.message, /101 bytes; the core takes 100/);
});

test("drains on SIGTERM: hands back what it has not begun, finishes the rest, calls onClose and exits with 0", async (context) => {
  const { core, worker } = await welcomed(context);
  core.request(1, "/wait");
  core.request(2, "/begun");
  assert.equal((await core.next()).id, 2);
  worker.signal("SIGTERM");
  assert.equal((await core.next()).type, "drain");
  core.request(3, "/crossed");
  const crossed = await core.next();
  assert.deepEqual([crossed.type, crossed.id, crossed.retry], ["failure", 3, true]);
  core.send({ type: "cancel", id: 1, reason: "drain" });
  assert.equal((await core.next()).id, 1);
  core.end();
  assert.equal(await worker.ended(), 0);
  assert.match(worker.output, /closed/);
});

test("goes on reading and answering after the core's drain, and exits with 0 at its end", async (context) => {
  const { core, worker } = await welcomed(context);
  core.request(1, "/wait");
  core.send({ type: "drain" });
  core.request(2, "/release");
  assert.deepEqual([(await core.next()).id, (await core.next()).id].sort(), [1, 2]);
  core.end();
  assert.equal(await worker.ended(), 0);
});

for (const [target, origin, message] of [
  ["/late", "uncaughtException", "Error: thrown late"],
  ["/rejection", "unhandledRejection", "Error: rejected"],
]) {
  test(`fails what is in hand after an ${origin}, and leaves`, async (context) => {
    const { core, worker } = await welcomed(context);
    core.request(1, "/wait");
    core.request(2, target);
    const responses = [await core.next(), await core.next()];
    assert.deepEqual(responses.map(({ id, type, message: told }) => [id, type, told]).sort(), [
      [1, "failure", message],
      [2, "failure", message],
    ]);
    assert.equal((await core.next()).type, "drain");
    core.end();
    assert.equal(await worker.ended(), 1);
    assert.match(worker.output, new RegExp(`${origin}, so this worker ends: ${message}`));
  });
}

test("ends with the core that started it", async (context) => {
  const { core, worker } = await welcomed(context);
  core.end();
  assert.equal(await worker.ended(), 1);
  assert.match(worker.output, /the core is gone/);
});

test("waits for a place where many others connect to the core", async (context) => {
  const core = new TestCore(context);
  const worker = core.fullFor(context, 2000, () => core.start(context, WORKER));
  await core.welcome();
  core.request(1, "/begun");
  assert.equal((await core.next()).id, 1);
  assert.doesNotMatch(worker.output, /EAGAIN/);
});

test("connects again when somebody else started it", async (context) => {
  const { core, worker } = await welcomed(context, { token: "" });
  core.request(1, "/wait");
  core.end();
  assert.equal((await core.next()).type, "end");
  const { hello } = await core.welcome();
  assert.equal(hello.token, undefined);
  core.request(1, "/release");
  const response = await core.next();
  assert.deepEqual(
    [response.id, response.body],
    [1, "done"],
    "a response to the lost connection's id 1 would be another",
  );
  worker.signal("SIGINT");
  assert.equal((await core.next()).type, "drain");
  core.end();
  assert.equal(await worker.ended(), 0);
});

test("connects again after the drain of a core that did not start it", async (context) => {
  const { core, worker } = await welcomed(context, { token: "" });
  core.send({ type: "drain" });
  core.request(1, "/begun");
  assert.equal((await core.next()).id, 1);
  core.end();
  assert.equal((await core.next()).type, "end");
  await core.welcome();
  core.request(1, "/begun");
  assert.equal((await core.next()).id, 1);
  worker.signal("SIGTERM");
  assert.equal((await core.next()).type, "drain");
  core.end();
  assert.equal(await worker.ended(), 0);
});

test("tells why it was refused, and exits with 1", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, WORKER);
  await core.next();
  core.send({ type: "refused", code: "bad_token", message: "only workers of mine" });
  core.end();
  assert.equal(await worker.ended(), 1);
  assert.match(worker.output, /refuses this worker: only workers of mine \(bad_token\)/);
});

test("leaves Ctrl-C to the core that started it", async (context) => {
  const { core, worker } = await welcomed(context);
  worker.signal("SIGINT");
  core.send({ type: "ping" });
  assert.equal((await core.next()).type, "pong");
});

test("says in one line that it has no socket, and exits with 2", async (context) => {
  const core = new TestCore(context);
  const worker = core.start(context, WORKER, { environment: { HANDOFF_SOCKET: "" } });
  assert.equal(await worker.ended(), 2);
  assert.match(worker.output, /^handoff: HANDOFF_SOCKET is not set\. [^\n]*\n$/);
});

test("tells its memory where the core cannot look, and only there", async (context) => {
  for (const [token, isTold] of [
    ["", true],
    ["secret", false],
  ]) {
    const core = new TestCore(context);
    core.start(context, WORKER, { token });
    const { memoryBytes } = await core.welcome();
    assert.equal(memoryBytes > 1 << 20, isTold);
  }
});

test("says what to do where it may not use the socket", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "handoff-closed-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, "core.sock");
  writeFileSync(socket, "", { mode: 0 });
  chmodSync(folder, 0o711);
  const asNobody = "process.setgroups([]);process.setgid(65534);process.setuid(65534)";
  const first = process.getuid() === 0 ? asNobody : "";
  const env = { ...process.env, HANDOFF_SOCKET: socket };
  const worker = new Process(
    context,
    [process.execPath, "--input-type=module", "-e", `import { serve } from "${INDEX}"; ${first}; serve(() => ({}))`],
    { env },
  );
  const [, told] = await worker.told(/EACCES.*; (this worker runs as user .*)\n/);
  const owner = `${process.getuid()}:${process.getgid()}`;
  assert.match(told, new RegExp(`run the worker as that user, .*in Compose: user: "${owner}"`));
});
