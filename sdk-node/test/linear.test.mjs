import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";

const SOURCES = new URL("../src/", import.meta.url);
/** Looks at the operator's own program, once, and at nothing of a client's. */
const AT_THE_START = "preload/";
const COMMENT = /\/\*.*?\*\/|(?<=^|[ ;{])\/\/ .*?$/gms;
/** Where a value is expected, a slash begins a regular expression. */
const LITERAL =
  /(?<=[=(,:?!&|[]\s*|^\s*)\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\/[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^\\/[\n])*)\/[a-z]*/gm;

/**
 * What a client sends runs through the SDK's regular expressions, and V8 tries every way in which one can match. With one
 * repetition, which begins at the beginning of the text, there are no more ways than characters. So the rule is looked for in
 * the expressions themselves: a clock would tell only of the inputs that somebody has thought of.
 */
describe("every regular expression takes time in proportion to its text", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.[cm]js$/.test(file) && !file.startsWith(AT_THE_START),
  );
  const found = files.flatMap((file) => expressionsIn(textOf(file)).map((each) => [file, each]));
  test("the expressions are found", () => assert.ok(found.length >= 12, `${found.length} of them`));
  for (const [file, expression] of found) {
    test(`${file}: /${expression}/`, () => assert.equal(flawOf(expression), undefined));
  }
  test("no expression is put together from texts", () => {
    for (const file of files) assert.doesNotMatch(textOf(file), /RegExp\(/);
  });
});

test("the rule knows expressions that are not linear", () => {
  for (const expression of [
    "^[a-z0-9.-]*[a-z-][a-z0-9.-]*(:[1-9]\\d{0,4})?$", // which hosts once went through
    "^(a+)+$",
    "^(a|a)*b*$",
    "\\s+$",
    "a{2,}b{3,}",
    "^(a)\\1$",
  ]) {
    assert.notEqual(flawOf(expression), undefined, expression);
  }
});

/** @param {string} file */
function textOf(file) {
  return readFileSync(new URL(file, SOURCES), "utf8");
}

/** @param {string} source */
function expressionsIn(source) {
  return [...source.replace(COMMENT, "").matchAll(LITERAL)].map(([, expression]) => expression);
}

/** @param {string} expression */
function flawOf(expression) {
  const bare = expression.replace(/\[(?:\\.|[^\]\\])*\]/g, "C").replace(/\\[^1-9k]/g, "E");
  if (bare.includes("\\")) return "it refers back";
  const repetitions = bare.match(/[*+]|\{\d+,\}/g)?.length ?? 0;
  if (repetitions > 1) return `it repeats in ${repetitions} places`;
  if (repetitions === 1 && !bare.startsWith("^")) return "it repeats, and may begin anywhere";
  return undefined;
}
