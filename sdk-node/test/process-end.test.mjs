// How a worker ends, as its program sees it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

async function serving(context, words) {
  const core = new TestCore(context);
  const program = core.startUnchanged(context, app("programs/says-goodbye.mjs"), { words });
  await core.welcome();
  core.request(1, "/wait");
  await program.told(/waiting/);
  return { core, program };
}

const drains = (core) => core.send({ type: "drain" });
const terminates = (_core, program) => program.signal("SIGTERM");

for (const [who, end] of [
  ["the core drains it", drains],
  ["it is terminated", terminates],
]) {
  test(`has the program close its server when ${who}, and finishes what is in hand`, async (context) => {
    const { core, program } = await serving(context, ["closes"]);
    end(core, program);
    await program.told(/heard SIGTERM\./);
    const next = await core.next();
    const response = next.type === "drain" ? await core.next() : next;
    assert.equal(response.body, "goodbye");
    core.end();
    await program.told(/server closed\.\ncleaned up\./);
    assert.equal(await program.ended(), 0);
  });

  test(`holds back the end that the program wants when ${who}, until its last response has left`, async (context) => {
    const { core, program } = await serving(context, ["exits"]);
    end(core, program);
    const next = await core.next();
    const response = next.type === "drain" ? await core.next() : next;
    assert.equal(response.body, "goodbye");
    core.end();
    assert.equal(await program.ended(), 7);
  });
}

test("tells the program once, though the core terminates it after it was drained", async (context) => {
  const { core, program } = await serving(context, ["lingers"]);
  drains(core);
  assert.equal((await core.next()).body, "goodbye");
  core.end();
  await core.next();
  program.signal("SIGTERM");
  assert.equal(await program.ended(), 0);
  assert.equal(program.output.match(/heard SIGTERM/g).length, 1);
});

test("tells the program that the core is gone", async (context) => {
  const { core, program } = await serving(context, ["closes"]);
  core.end();
  await program.told(/handoff: the core is gone/);
  await program.told(/cleaned up\./);
  assert.equal(await program.ended(), 1);
});
