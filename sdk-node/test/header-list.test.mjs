import assert from "node:assert/strict";
import { test } from "node:test";
import { ForbiddenResponse, HeaderList } from "../src/protocol/response-json.mjs";

test("a response has as many headers as the core takes", () => {
  const list = new HeaderList();
  list.add("a", new Array(999).fill(""));
  list.add("b", 1);
  assert.equal(JSON.parse(list.json).length, 1000);
  assert.throws(() => list.add("c", ""), ForbiddenResponse);
});
