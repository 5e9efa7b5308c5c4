import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { ask, serving } from "./support/serving.mjs";

const PACKAGE = fileURLToPath(new URL("..", import.meta.url));
const TOOLS = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).devDependencies;
const QUICKSTART = `
const express = require('express')
const app = express()
const port = 3000

app.get('/', (req, res) => {
  res.send('Hello World!')
})

app.listen(port, () => {
  console.log(\`Example app listening on port \${port}\`)
})
`;
const TYPED = `
import { type PlainRequest, serve, serveNode } from "handoff-worker";
serve((request: PlainRequest) => ({ status: 200, headers: { a: ["1"] }, body: request.body }));
serve({ fetch: async (request: Request) => new Response(request.url) }, { lightweight: false });
serveNode((request, response) => response.end(request.url), { concurrency: 8, onClose: () => {} });
// @ts-expect-error a status is a number
serve(() => ({ status: "200" }));
`;

test("serves the Express quickstart in a fresh folder with Express and the packed tarball", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "handoff-package-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const npm = (...words) => execFileSync("npm", words, { cwd: folder, encoding: "utf8" });
  const [{ filename, files }] = JSON.parse(npm("pack", PACKAGE, "--json", "--loglevel=error"));
  assert.ok(
    files.every(({ path }) => !path.startsWith("test")),
    "tests are not packed",
  );
  writeFileSync(join(folder, "package.json"), "{}");
  const quiet = ["--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline"];
  npm(
    "install",
    ...quiet,
    `./${filename}`,
    `express@${TOOLS.express}`,
    `typescript@${TOOLS.typescript}`,
    `@types/node@${TOOLS["@types/node"]}`,
  );

  await context.test("with one command", async (inner) => {
    writeFileSync(join(folder, "app.js"), QUICKSTART);
    const { port, process } = await serving(inner, ["app.js"], { cwd: folder });
    assert.equal((await ask(port, { path: "/" })).text, "Hello World!");
    await process.told(/Example app listening on port 3000/);
  });

  await context.test("by the preload of the package", async (inner) => {
    const { port } = await serving(inner, ["--", "node", "--import", "handoff-worker/preload", "app.js"], {
      cwd: folder,
    });
    assert.equal((await ask(port, { path: "/" })).text, "Hello World!");
  });

  await context.test("and knows its types", () => {
    writeFileSync(join(folder, "typed.mts"), TYPED);
    npm(
      "exec",
      "--",
      "tsc",
      "--noEmit",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--types",
      "node",
      "typed.mts",
    );
  });
});
