// How the files of the SDK may use each other: arrows between the folders go one way, and no file imports in a circle.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../src", import.meta.url));
const FILES = readdirSync(ROOT, { recursive: true, encoding: "utf8" }).filter((file) => /\.[mc]js$/.test(file));
const IMPORT = /(?:\bfrom |^import |\bimport\(|\brequire\(|\brequire\.resolve\()["'](\.{1,2}\/[^"']+)["']/gm;

/** Each folder, and each file beside them, with the folders that it may import from. JSDoc's types count, too. */
const MAY_USE = {
  "thenable.mjs": [],
  log: [],
  protocol: [],
  worker: ["log", "protocol"],
  "web-socket": ["worker", "protocol", "log", "thenable.mjs"],
  plain: ["worker", "protocol", "thenable.mjs"],
  fetch: ["worker", "protocol"],
  node: ["worker", "web-socket", "protocol", "log", "thenable.mjs"],
  "serve.mjs": ["worker", "web-socket", "fetch", "plain", "thenable.mjs"],
  preload: ["serve.mjs", "node", "worker"],
};

/** Those that a file imports; types alone stand in comments, and are erased. */
function importsOf(file, text = readFileSync(join(ROOT, file), "utf8")) {
  return [...text.matchAll(IMPORT)].map(([, specifier]) => relative(ROOT, join(ROOT, dirname(file), specifier)));
}

function withoutComments(file) {
  return readFileSync(join(ROOT, file), "utf8").replace(/\/\*\*[\s\S]*?\*\//g, "");
}

const folderOf = (file) => file.split("/")[0];

test("there are no other folders", () => {
  assert.deepEqual([...new Set(FILES.map(folderOf))].sort(), Object.keys(MAY_USE).sort());
});

test("arrows between folders go one way", () => {
  const wrong = FILES.flatMap((file) => importsOf(file).map((other) => [file, other])).filter(([file, other]) => {
    const [user, used] = [folderOf(file), folderOf(other)];
    return used !== ".." && used !== user && !MAY_USE[user].includes(used);
  });
  assert.deepEqual(wrong, []);
  const done = [];
  for (const [folder, used] of Object.entries(MAY_USE)) {
    assert.ok(
      used.every((each) => done.includes(each)) && done.push(folder),
      `${folder} comes before all that it uses`,
    );
  }
});

test("no file imports in a circle", () => {
  const graph = new Map(FILES.map((file) => [file, importsOf(file, withoutComments(file))]));
  assert.ok([...graph.values()].flat().length > 40, "this sees imports");
  const done = new Set();
  const visit = (file, path) => {
    assert.ok(!path.includes(file), `a circle: ${[...path, file].join(" -> ")}`);
    if (done.has(file)) return;
    for (const other of graph.get(file) ?? []) visit(other, [...path, file]);
    done.add(file);
  };
  for (const file of FILES) visit(file, []);
});
