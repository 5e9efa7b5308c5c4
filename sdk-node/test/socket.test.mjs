// What a node:http listener sees of the connection that it does not have.
import assert from "node:assert/strict";
import { test } from "node:test";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

async function ask(context, target) {
  const core = new TestCore(context);
  const program = core.startUnchanged(context, app("programs/sockets.mjs"), { environment: { PORT: "3000" } });
  await core.welcome();
  core.request(1, target);
  return { response: await core.next(), core, program };
}

test("shows the server, and where it was told to listen", async (context) => {
  const { response } = await ask(context, "/");
  assert.equal(response.body, '[true,"127.0.0.1",3000,3000]');
});

test("tells a response that it takes too long", async (context) => {
  const { response } = await ask(context, "/response");
  assert.equal(response.body, "too late");
});

test("gives up a request that takes too long, if nobody listens for that", async (context) => {
  const { response } = await ask(context, "/request");
  assert.deepEqual(
    [response.type, response.message],
    ["failure", "Error: no response within the 20 ms of setTimeout()"],
  );
});

test("ends the timeout with the response", async (context) => {
  const { response, core, program } = await ask(context, "/answered");
  assert.equal(response.body, "in time");
  core.request(2, "/response"); // whose timeout comes later
  assert.equal((await core.next()).body, "too late");
  assert.doesNotMatch(program.output, /timed out/);
});
