// node sdk-node/fuzz/search.mjs SECONDS TARGET [SEED]
//
// Searches for an input that breaks the property of a target, and prints how many it tried: changes inputs at random, and
// goes on from those that reached something new in the SDK. The search runs in a thread, so that an input for which it
// takes too long can be told.
import { createHash, randomInt } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isMainThread, Worker, workerData } from "node:worker_threads";
import { Coverage } from "./support/coverage.mjs";
import { filesOf, fixtureInputs, keptInputs, propertyOf, targets, words } from "./support/inputs.mjs";
import { Mutator } from "./support/mutator.mjs";

const KEPT_FOLDER = new URL("../../target/fuzz/", import.meta.url);
const LONGEST_INPUT_BYTES = 64 * 1024;
/** One execution takes less than a hundredth of this. */
const HANG_MILLIS = 10_000;
/** So many executions share a look at what they reached. */
const EXECUTIONS_PER_LOOK = 64;

if (isMainThread) watch(Number(process.argv[2]), process.argv[3], Number(process.argv[4] ?? randomInt(2 ** 31)));
else await search(workerData);

/** @param {number} seconds @param {string} target @param {number} seed */
function watch(seconds, target, seed) {
  if (!(seconds > 0) || !targets().includes(target)) {
    console.error(`usage: node search.mjs SECONDS TARGET [SEED], where TARGET is one of: ${targets().join(" ")}`);
    process.exit(2);
  }
  /** Executions begun, the length of the input in hand, how much is covered, inputs kept. */
  const state = new Int32Array(new SharedArrayBuffer(16));
  const input = new Uint8Array(new SharedArrayBuffer(LONGEST_INPUT_BYTES));
  const found = (/** @type {unknown} */ error) => {
    const bytes = Buffer.from(input.slice(0, state[1]));
    const file = keep(target, "findings", bytes);
    console.log(state[0]);
    console.error(error);
    console.error(
      `The input is ${file} (seed ${seed}). Once it is understood, copy it to`,
      `sdk-node/fuzz/inputs/${target}/, under a name that says what it is: make test runs it from there on.`,
    );
    process.exit(1);
  };
  const worker = new Worker(new URL(import.meta.url), { workerData: { seconds, target, seed, state, input } });
  worker.on("error", found);
  worker.on("exit", (code) => {
    if (code !== 0) found(new Error("the input ends the process, or its promise is never fulfilled"));
    console.log(state[0]);
    console.error(`node-${target}: ${state[2]} characters of the SDK covered, ${state[3]} inputs kept`);
  });
  let executions = -1;
  setInterval(() => {
    if (executions === state[0]) found(new Error(`the input has taken more than ${HANG_MILLIS} ms`));
    executions = state[0];
  }, HANG_MILLIS).unref();
}

/** @param {{ seconds: number, target: string, seed: number, state: Int32Array, input: Uint8Array }} order */
async function search({ seconds, target, seed, state, input }) {
  const property = await propertyOf(target);
  const mutator = new Mutator(seed, words());
  const before = filesOf(fileURLToPath(new URL(`node-${target}/corpus`, KEPT_FOLDER)));
  const begin = [...fixtureInputs(target), ...[...keptInputs(target), ...before].map(({ bytes }) => bytes)];
  const corpus = [Buffer.alloc(0)];
  const pick = () => corpus[Math.max(mutator.below(corpus.length), mutator.below(corpus.length))]; // rather late ones
  const coverage = new Coverage();
  const end = performance.now() + 1000 * seconds;
  const execute = async (/** @type {Buffer} */ bytes) => {
    state[1] = bytes.copy(input);
    state[0]++;
    await property(bytes);
    await new Promise(setImmediate); // so that what fails later fails while its input is in hand
  };
  while (performance.now() < end) {
    const inputs = Array.from({ length: EXECUTIONS_PER_LOOK }, () => begin.pop() ?? mutator.changed(pick(), pick()));
    for (const bytes of inputs) await execute(bytes);
    if (!coverage.growsTogether()) continue;
    for (const bytes of inputs) {
      await execute(bytes);
      if (!coverage.growsAlone()) continue;
      corpus.push(bytes);
      keep(target, "corpus", bytes);
    }
    state[2] = coverage.size;
    state[3] = corpus.length;
  }
}

/** @param {string} target @param {string} folder @param {Buffer} bytes */
function keep(target, folder, bytes) {
  const path = fileURLToPath(new URL(`node-${target}/${folder}`, KEPT_FOLDER));
  const file = `${path}/${createHash("sha1").update(bytes).digest("hex")}`;
  mkdirSync(path, { recursive: true });
  writeFileSync(file, bytes);
  return file;
}
