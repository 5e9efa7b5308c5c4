import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bytes,
  count,
  duration,
  NONE,
  percent,
  rate,
  several,
  span,
  words,
} from "../../main/resources/dev/handoff/admin/page/format.js";

/** @param {(value: any) => string} format @param {[any, string][]} cases */
function each(format, cases) {
  for (const [value, text] of cases) assert.equal(format(value).replaceAll("\u00a0", " "), text, String(value));
}

test("countsAreGroupedUntilTheyAreMillions", () => {
  each(count, [
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [999_999, "999,999"],
    [1_000_000, "1.00 M"],
    [12_345_678, "12.3 M"],
    [7_000_000_000, "7.00 G"],
  ]);
});

test("slowRatesHaveADecimal", () => {
  each(rate, [
    [0, "0"],
    [0.25, "0.3"],
    [9.94, "9.9"],
    [10.4, "10"],
    [13_044.4, "13,044"],
  ]);
});

test("durationsGrowFromMicrosecondsToDays", () => {
  each(duration, [
    [0, "0 ms"],
    [0.085, "85 µs"],
    [0.9994, "999 µs"],
    [0.9996, "1.00 ms"],
    [12.34, "12.3 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [29_940, "29.9 s"],
    [60_000, "1 min 0 s"],
  ]);
});

test("spansHaveTheirTwoLargestUnits", () => {
  each(span, [
    [0.9, "0 s"],
    [59.9, "59 s"],
    [60, "1 min 0 s"],
    [3599, "59 min 59 s"],
    [7380, "2 h 3 min"],
    [90_000, "1 d 1 h"],
  ]);
});

test("sizesKeepThreeDigits", () => {
  each(bytes, [
    [0, "0 B"],
    [999, "999 B"],
    [1000, "0.98 KiB"],
    [31_457_280, "30.0 MiB"],
    [2 ** 40, "1.00 TiB"],
  ]);
});

test("aShareThatIsNotNothingIsNotZero", () => {
  each(percent, [
    [0, "0 %"],
    [0.0001, "<0.1 %"],
    [0.0009, "0.1 %"],
    [0.0994, "9.9 %"],
    [0.0996, "10 %"],
    [1, "100 %"],
  ]);
});

test("whatIsNotKnownIsADash", () => {
  for (const format of [count, rate, duration, span, bytes, percent]) assert.equal(format(null), NONE);
});

test("reasonsAreReadAsWords", () => {
  assert.equal(words("queue_full"), "queue full");
  assert.equal(several(1, "worker"), "1 worker");
  assert.equal(several(0, "worker"), "0 workers");
});
