import assert from "node:assert/strict";
import { test } from "node:test";
import v8 from "node:v8";
import vm from "node:vm";
import { ById } from "../src/protocol/by-id.mjs";

v8.setFlagsFromString("--expose-gc");
const collect = vm.runInNewContext("gc");
v8.setFlagsFromString("--no-expose-gc");

test("it does what a Map does", () => {
  const byId = new ById();
  const map = new Map();
  for (let step = 0; step < 20_000; step++) {
    // Ids as the core gives them, one after the other, of which some live long; and large ones.
    const id = step % 3 === 0 ? (step * 7919) % 500 : 2 ** 40 + (step % 300);
    if (step % 5 < 3) {
      byId.set(id, step);
      map.set(id, step);
    } else {
      assert.equal(byId.delete(id), map.delete(id));
    }
    assert.equal(byId.get(id), map.get(id));
    assert.equal(byId.size, map.size);
  }
  const inOrder = (/** @type {[number, unknown][]} */ entries) => entries.sort(([one], [other]) => one - other);
  assert.deepEqual(inOrder(byId.entries()), inOrder([...map]));
  byId.clear();
  assert.equal(byId.size, 0);
  assert.equal(byId.get(0), undefined);
  assert.deepEqual(byId.values(), []);
});

test("what is deleted does not outlive a small collection", () => {
  const byId = new ById();
  /** @param {number} turns */
  const come = (turns) => {
    for (let turn = 0; turn < turns; turn++) {
      for (let id = 64 * turn; id < 64 * turn + 64; id++) byId.set(id, { id, content: new Array(100).fill(id) });
      for (let id = 64 * turn; id < 64 * turn + 64; id++) byId.delete(id);
      if (turn % 8 === 0) collect({ type: "minor" });
    }
  };
  come(100);
  collect(); // the table itself becomes old
  const before = oldBytes();
  come(400); // 20 MB, of which a Map keeps 5
  const kept = oldBytes() - before;
  assert.ok(kept < 1e6, `${kept} bytes were kept`);
});

function oldBytes() {
  return v8.getHeapSpaceStatistics().find((space) => space.space_name === "old_space")?.space_used_size ?? 0;
}
