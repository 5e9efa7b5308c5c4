import assert from "node:assert/strict";
import { NodeExchange } from "../src/node/exchange.mjs";
import { Input } from "./support/input.mjs";
import { requestOf, Wire } from "./support/wire.mjs";

const METHODS = ["GET", "POST", "post", "TRACE"];
/** Of several, node:http keeps the first. */
const ONCE = new Set(
  (
    "age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified " +
    "location max-forwards proxy-authorization referer retry-after server user-agent"
  ).split(" "),
);

/**
 * A node:http listener sees method, target, fields and content as the core told them, each field in its place, and no more
 * than that: names such as __proto__ are names.
 */
export function fuzz(data) {
  const input = new Input(data);
  const method = input.one(METHODS);
  const target = `/${input.text()}`;
  const headers = input.several(8, () => [input.text().toLowerCase() || "a", input.text()]);
  const body = input.rest();
  const wire = new Wire();
  const { incoming } = new NodeExchange(requestOf({ method, target, headers, body }), /** @type {any} */ (wire));
  assert.deepEqual([incoming.method, incoming.url, incoming.httpVersion], [method, target, "1.1"]);
  assert.deepEqual(incoming.rawHeaders, headers.flat());
  assert.deepEqual({ ...incoming.headers }, joined(headers));
  const content = [];
  for (let chunk = incoming.read(); chunk !== null; chunk = incoming.read()) content.push(chunk);
  assert.deepEqual(Buffer.concat(content), body);
  assert.equal(wire.outcome, undefined, "reading answers nothing");
  assert.equal(Object.keys(Object.prototype).length, 0);
}

/** As node:http's documentation says it. @param {[string, string][]} headers */
function joined(headers) {
  const fields = new Map();
  for (const [name, value] of headers) {
    const before = fields.get(name);
    if (name === "set-cookie") fields.set(name, [...(before ?? []), value]);
    else if (before === undefined) fields.set(name, value);
    else if (!ONCE.has(name)) fields.set(name, before + (name === "cookie" ? "; " : ", ") + value);
  }
  fields.delete("__proto__"); // is no property of an object, and so node:http does not show it here
  return Object.fromEntries(fields);
}
