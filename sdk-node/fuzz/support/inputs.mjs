import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { frameFixtures } from "../../test/support/fixtures.mjs";

const FUZZ = new URL("../", import.meta.url);
const ENDING = ".fuzz.mjs";
const LONGEST_FIXTURE_BYTES = 1000;
const LENGTHS_BYTES = 8;
/** What the targets take as their first choice. */
const WITHOUT_CUTS = Buffer.of(0);
const AS_TEXT = Buffer.of(1);

/** The names of all targets. */
export function targets() {
  return readdirSync(FUZZ)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/** The property of a target. @param {string} target @returns {Promise<(data: Uint8Array) => void | Promise<void>>} */
export async function propertyOf(target) {
  return (await import(new URL(target + ENDING, FUZZ).href)).fuzz;
}

/** What the repository keeps for a target: inputs to begin with, and those that were findings. @param {string} target */
export function keptInputs(target) {
  return filesOf(fileURLToPath(new URL(`inputs/${target}`, FUZZ)));
}

/** What the conformance fixtures give a target to begin with. @param {string} target */
export function fixtureInputs(target) {
  const fixtures = frameFixtures().filter(({ bytes }) => bytes.length <= LONGEST_FIXTURE_BYTES);
  if (target === "frame-reader") return fixtures.map(({ bytes }) => Buffer.concat([WITHOUT_CUTS, bytes]));
  if (target === "core-message")
    return fixtures.map(({ bytes }) => Buffer.concat([AS_TEXT, bytes.subarray(LENGTHS_BYTES)]));
  return [];
}

/** @param {string} folder @returns {{ name: string, bytes: Buffer }[]} none, if there is no such folder */
export function filesOf(folder) {
  try {
    return readdirSync(folder).map((name) => ({ name, bytes: readFileSync(`${folder}/${name}`) }));
  } catch (error) {
    if (/** @type {any} */ (error).code === "ENOENT") return [];
    throw error;
  }
}

/** The words of the dictionary, as libFuzzer writes them. @returns {Buffer[]} */
export function words() {
  const lines = readFileSync(new URL("dictionary", FUZZ), "utf8").split("\n");
  return lines
    .filter((line) => line.startsWith('"'))
    .map((line) => {
      const unescaped = line
        .slice(1, -1)
        .replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex, other) =>
          hex ? String.fromCharCode(parseInt(hex, 16)) : other,
        );
      return Buffer.from(unescaped, "latin1");
    });
}
