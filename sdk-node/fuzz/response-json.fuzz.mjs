import assert from "node:assert/strict";
import { ForbiddenResponse, failureJson, HeaderList, responseJson } from "../src/protocol/response-json.mjs";
import { Input } from "./support/input.mjs";
import { assertResponse } from "./support/response.mjs";

const STATUSES = [200, 199, 599, 600, 404, 204, 0, -1, 1e9, 200.5, Number.NaN, Number.POSITIVE_INFINITY];
const VALUES = [0, -1.5, Number.NaN, null, undefined, true, {}, ["a", "b"], [["a"], 1], []];

/** A response is sent as it was given, or refused with an error that names what HTTP forbids. A failure is always sent. */
export function fuzz(data) {
  const input = new Input(data);
  const id = input.number(65_535);
  const status = input.one(STATUSES);
  const reason = input.one([undefined, "", input.text()]);
  const fields = input.several(6, () => [input.text(), input.choice(4) === 0 ? input.one(VALUES) : input.text()]);
  try {
    const list = new HeaderList();
    for (const [name, value] of fields) list.add(name, value);
    const sent = assertResponse(responseJson(id, status, reason, list.json));
    assert.deepEqual(sent, { status, reason: reason ?? "", headers: fields.flatMap(flat) });
  } catch (error) {
    if (!(error instanceof ForbiddenResponse || error instanceof TypeError)) throw error;
  }
  const message = input.text();
  assert.deepEqual(JSON.parse(failureJson(id, message, true)), { type: "failure", id, message, retry: true });
}

/** The fields of a name. @param {[string, unknown]} field @returns {[string, string][]} */
function flat([name, value]) {
  return Array.isArray(value) ? value.flatMap((one) => flat([name, one])) : [[name, String(value)]];
}
