import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Process } from "./support/process.mjs";

const FASTIFY = join(dirname(fileURLToPath(import.meta.resolve("fastify"))), "test");
const BRIDGE = new URL("support/bridge.mjs", import.meta.url).href;

/** Fastify's own tests that ask a listening server, as far as they are about requests and responses rather than connections. */
const SUITES = [
  ..."async-await body-limit content-length content-parser custom-querystring-parser delete hooks-async".split(" "),
  ..."output-validation reply-error reply-web-stream-locked stream-serializers set-error-handler stream.1 stream.3 throw trust-proxy url-rewriting".split(
    " ",
  ),
];

test("Fastify's own tests pass by way of our request and response", async (context) => {
  const files = SUITES.map((name) => join(FASTIFY, `${name}.test.js`));
  const words = ["--import", BRIDGE, "--test", "--test-reporter=tap", ...files];
  const environment = { ...process.env, NODE_TEST_CONTEXT: undefined };
  const run = new Process(context, [process.execPath, ...words], { env: environment });
  const code = await run.ended();
  const failed = run.output.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.deepEqual([code, failed], [0, []]);
  const [, passed] = run.output.match(/^# pass (\d+)$/m) ?? [];
  assert.ok(Number(passed) > 200, `${passed} tests passed`);
});
