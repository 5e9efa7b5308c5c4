import assert from "node:assert/strict";
import { fetchHandler } from "../src/fetch/handler.mjs";
import { LightResponse } from "../src/fetch/light-response.mjs";
import { NativeResponse } from "../src/fetch/native-classes.mjs";
import { Input } from "./support/input.mjs";
import { requestOf, Wire } from "./support/wire.mjs";

const STATUSES = [200, 201, 204, 205, 304, 404, 599, 199, 600, 0, 200.5, Number.NaN, undefined, "201", null];
const BODIES = [null, undefined, "", new Uint8Array(), 1, {}, ["a"]];
/** A body of the wire's limit, and one past it, each in a few chunks. */
const CHUNK_LENGTHS = [0, 1, 500, 1000, 2000, 2001];
const MOST_CHUNKS = 20;
const MOST_CHANGES = 3;
/** What streams read before they are asked: the one of the body, and one for each clone. */
const MOST_CHUNKS_AHEAD = 2 + MOST_CHANGES;

/**
 * A handler that makes a Response has the same response sent with the light class as with Node's own, or an error with both.
 * A stream is read to its end, and no further than the limit of a body.
 */
export async function fuzz(data) {
  const light = await outcomeOf(new Input(data), LightResponse);
  const native = await outcomeOf(new Input(data), NativeResponse);
  assert.equal("failure" in light, "failure" in native, `light: ${light.failure}, native: ${native.failure}`);
  if (!("failure" in light)) assert.deepEqual(light, native);
}

/** @param {Input} input @param {any} Class */
async function outcomeOf(input, Class) {
  const wire = new Wire();
  const state = { taken: 0 };
  const answered = new Promise((resolve) => {
    for (const way of ["answer", "fail"]) {
      const take = wire[way];
      wire[way] = function (...what) {
        take.apply(this, what);
        resolve(undefined);
      };
    }
  });
  fetchHandler(() => responseOf(input, Class, state), true)(requestOf(), wire);
  await answered;
  const most = wire.limits.bodyBytes + MOST_CHUNKS_AHEAD * Math.max(...CHUNK_LENGTHS);
  assert.ok(state.taken <= most, `${state.taken} bytes were read`);
  return normal(wire.outcome);
}

/**
 * Fields in the order and form that Headers give them, which mean the same. Node loses a field __proto__ of an object.
 *
 * @param {any} outcome
 */
function normal(outcome) {
  if ("failure" in outcome) return outcome;
  const fields = new Headers(outcome.headers);
  fields.delete("__proto__");
  return { ...outcome, headers: [...fields].map(([name, value]) => [name, value.trim()]) };
}

/** @param {Input} input @param {any} Class @param {{ taken: number }} state */
function responseOf(input, Class, state) {
  const body = bodyOf(input, state);
  const response = new Class(body, initOf(input));
  for (const change of input.several(MOST_CHANGES, () => input.choice(6))) {
    if (change === 0) response.headers.set(input.text(), input.text());
    else if (change === 1) response.headers.append(input.text(), input.text());
    else if (change === 2) response.clone();
    else if (change === 3) response.body;
    else if (change === 4) assert.equal(response.ok, response.status >= 200 && response.status <= 299);
    else response.headers.delete(input.text());
  }
  return input.choice(2) === 0 ? response : Promise.resolve(response);
}

/** @param {Input} input */
function initOf(input) {
  if (input.choice(4) === 0) return undefined;
  const pairs = input.several(5, () => [input.text(), input.choice(6) === 0 ? input.choice(9) : input.text()]);
  const forms = [
    undefined,
    pairs,
    Object.fromEntries(pairs),
    new Map(pairs),
    () => new Headers(/** @type {any} */ (pairs)),
  ];
  const form = input.one(forms);
  return {
    status: input.one(STATUSES),
    statusText: input.one([undefined, "", input.text()]),
    headers: typeof form === "function" ? form() : form,
  };
}

/** @param {Input} input @param {{ taken: number }} state */
function bodyOf(input, state) {
  const kind = input.choice(4);
  if (kind === 0) return input.text();
  if (kind === 1) return new Uint8Array(input.bytes(40));
  if (kind === 2) return input.one(BODIES);
  const lengths = input.several(MOST_CHUNKS, () => input.one(CHUNK_LENGTHS));
  return new ReadableStream(
    {
      pull(controller) {
        const length = lengths.shift();
        if (length === undefined) return controller.close();
        state.taken += length;
        controller.enqueue(new Uint8Array(length));
      },
    },
    { highWaterMark: 0 },
  );
}
