import assert from "node:assert/strict";
import { NodeExchange } from "../src/node/exchange.mjs";
import { Input } from "./support/input.mjs";
import { requestOf, Wire } from "./support/wire.mjs";

const STATUSES = [200, 204, 304, 404, 599, 100, 199, 600, 99, 1000, 0, Number.NaN, "201", undefined];
const ENCODINGS = [undefined, "utf8", "latin1", "hex", "base64", "utf16le"];
const MOST_STEPS = 16;
/** In each the client takes what has come, so all that was written comes. */
const MOST_TURNS = 1000;

/**
 * Whatever a listener does with its response, a response that leaves has no line end in its head, its content is what was
 * written in the order in which it was written, and there is one response at most. In pieces none comes without credit.
 */
export function fuzz(data) {
  const input = new Input(data);
  const wire = new Wire(data.length % 2 === 1);
  const { response, incoming } = new NodeExchange(
    requestOf({ method: input.one(["GET", "POST"]) }),
    /** @type {any} */ (wire),
  );
  response.on("error", () => {}); // such as writing behind the end
  incoming.on("error", () => {});
  const written = [];
  for (let steps = 0; steps < MOST_STEPS && !input.isUsedUp; steps++)
    attempt(() => step(input, response, wire, written));
  attempt(() => response.end());
  for (let turns = 0; turns < MOST_TURNS && wire.outcome === undefined; turns++) wire.flush();
  if (wire.outcome === undefined || "failure" in wire.outcome) return;
  assert.deepEqual(wire.outcome.body, Buffer.concat(written));
  assert.ok(wire.outcome.inPieces || wire.outcome.body.length <= wire.limits.bodyBytes);
}

/** Node says what is wrong with an argument or a moment by an error that has a code. @param {() => void} act */
function attempt(act) {
  try {
    act();
  } catch (error) {
    if (typeof (/** @type {any} */ (error).code) !== "string") throw error;
    if (/** @type {any} */ (error).code === "ERR_ASSERTION") throw error;
  }
}

/** @param {Input} input @param {any} response @param {Wire} wire @param {Buffer[]} written */
function step(input, response, wire, written) {
  switch (input.choice(10)) {
    case 0:
      return response.setHeader(input.text(), fieldValue(input));
    case 1:
      return response.appendHeader(input.text(), input.text());
    case 2:
      return response.writeHead(
        input.one(STATUSES),
        ...input.one([[], [fieldsOf(input)], [input.text(), fieldsOf(input)]]),
      );
    case 3:
      response.statusCode = input.one(STATUSES);
      return undefined;
    case 4:
      response.statusMessage = input.text();
      return undefined;
    case 5:
      return response.removeHeader(input.text());
    case 6:
      return wire.flush();
    case 7:
      return input.choice(2) === 0 ? response.flushHeaders() : response.writeEarlyHints({ link: `<${input.text()}>` });
    case 8:
      return put(input, response, "end", written);
    default:
      return put(input, response, "write", written);
  }
}

/** @param {Input} input @param {any} response @param {"write" | "end"} how @param {Buffer[]} written */
function put(input, response, how, written) {
  const encoding = input.one(ENCODINGS);
  const text = input.choice(2) === 0;
  const chunk = text ? input.text() : Buffer.alloc(input.number(1200), 0x78);
  const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
  const isOpen = !response.writableEnded && !response.destroyed;
  response[how](chunk, encoding);
  if (isOpen && response._hasBody) written.push(bytes); // a status such as 204, known by now, has no content
}

/** @param {Input} input */
function fieldValue(input) {
  return input.one([input.text(), input.text(), input.number(9), [input.text(), input.text()], [], undefined, null]);
}

/** @param {Input} input */
function fieldsOf(input) {
  const pairs = input.several(4, () => [input.text(), fieldValue(input)]);
  return input.one([Object.fromEntries(pairs), pairs, pairs.flat(), undefined]);
}
