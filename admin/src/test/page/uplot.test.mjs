import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

const ours = new URL("../../main/resources/dev/handoff/admin/page/uplot/", import.meta.url);
const published = new URL("./", `file://${createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css")}`);

for (const name of ["uPlot.iife.min.js", "uPlot.min.css"]) {
  test(`theCopyOf ${name} isTheOneThatItsAuthorsPublished`, () => {
    assert.equal(readFileSync(new URL(name, ours), "utf8"), readFileSync(new URL(name, published), "utf8"));
  });
}
