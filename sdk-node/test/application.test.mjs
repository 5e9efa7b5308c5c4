// Which server of an unchanged program is the application.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { freePort, isOpen } from "./support/ports.mjs";
import { app, ask } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const { ApplicationPort, START_MILLIS } = createRequire(import.meta.url)("../src/preload/application-port.cjs");
const LISTENS = app("programs/listens.mjs");

async function listening(context, words, environment = {}) {
  const core = new TestCore(context);
  const program = core.startUnchanged(context, LISTENS, { words, environment });
  await core.welcome();
  return { core, program };
}

async function answers(core, text) {
  core.request(1);
  assert.equal((await core.next()).body, text);
}

test("serves the only server, wherever it listens", async (context) => {
  const port = await freePort();
  const { core, program } = await listening(context, [`app=${port}`]);
  await program.told(new RegExp(`app listens at .*"port":${port}`));
  await answers(core, "app in the clear");
  assert.equal(await isOpen(port), false);
});

for (const [when, delay] of [
  ["first", ""],
  ["at once", "+1"],
  ["much earlier", "+800"],
]) {
  test(`serves the one at $PORT, though another listens ${when}, which listens where it wants to`, async (context) => {
    const [port, metrics] = [await freePort(), await freePort()];
    const words = [`metrics=${metrics}`, `app=$PORT${delay}`];
    const { core, program } = await listening(context, words, { PORT: `${port}` });
    await program.told(/app listens/);
    await answers(core, "app in the clear");
    assert.equal((await ask(metrics, {})).text, "metrics in the clear");
    assert.equal(await isOpen(port), false);
    assert.equal(program.output.match(/metrics listens/g).length, 1);
  });
}

test("serves the one whose port the operator names, and no other", async (context) => {
  const [first, second] = [await freePort(), await freePort()];
  const environment = { PORT: `${first}`, HANDOFF_APP_PORT: `${second}` };
  const { core, program } = await listening(context, ["first=$PORT", `second=${second}`], environment);
  await program.told(/first listens/);
  await answers(core, "second in the clear");
  assert.equal((await ask(first, {})).text, "first in the clear");
});

test("does not start where several listen and none is named, and says how to choose", async (context) => {
  const core = new TestCore(context);
  const words = ["metrics=9090", "app=3000+20"];
  const program = core.startUnchanged(context, LISTENS, { words, environment: { PORT: "8080" } });
  await program.told(
    /handoff: listens\.mjs listens at port 9090 and at port 3000, and not at \$PORT, which is 8080: which is the application\? .*--app-port 9090/,
  );
  assert.equal(await program.ended(), 1);
  assert.deepEqual(core.messages, []);
});

test("takes a server on any free port for somebody else's, unless it is the only one", async (context) => {
  const { core, program } = await listening(context, [`app=${await freePort()}`, "other=0"]);
  const [, other] = await program.told(/other listens at .*"port":(\d+)/);
  await answers(core, "app in the clear");
  assert.equal((await ask(Number(other), {})).text, "other in the clear");
});

test("serves the only server, if it listens on any free port", async (context) => {
  const { core } = await listening(context, ["app=0"]);
  await answers(core, "app in the clear");
});

test("serves a server on a path, which it does not make", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "handoff-path-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "app.sock");
  const { core, program } = await listening(context, [`app=${path}`]);
  await program.told(new RegExp(`app listens at "${path}"\\.`));
  await answers(core, "app in the clear");
  assert.equal(existsSync(path), false);
});

test("serves a server of node:https, which takes its requests for safe, and says whose TLS it is", async (context) => {
  const port = await freePort();
  const { core, program } = await listening(context, [`tls=${port}`]);
  await answers(core, "tls by TLS");
  await program.told(/handoff: the application's own TLS is not used/);
  assert.equal(await isOpen(port), false);
});

test("refuses to guess as long as a start may take, and no longer", () => {
  for (const [millis, verdict] of [
    [START_MILLIS - 1, "refuse"],
    [START_MILLIS, "open"],
  ]) {
    const choice = new ApplicationPort({});
    assert.equal(choice.listens(3000, 100), "wait");
    assert.equal(choice.settle(), true);
    assert.equal(choice.listens(3000, millis), "join");
    assert.equal(choice.listens(9090, millis), verdict);
  }
});
