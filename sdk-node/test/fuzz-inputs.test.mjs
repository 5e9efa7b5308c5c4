import assert from "node:assert/strict";
import { test } from "node:test";
import { fixtureInputs, keptInputs, propertyOf, targets } from "../fuzz/support/inputs.mjs";

/** What a search has found once stays mended: every kept input goes through its target. */
for (const target of targets()) {
  test(`fuzz/inputs/${target}`, async () => {
    const property = await propertyOf(target);
    await property(Buffer.alloc(0));
    for (const bytes of fixtureInputs(target)) await property(bytes);
    for (const { name, bytes } of keptInputs(target)) {
      await assert.doesNotReject(async () => property(bytes), name);
    }
  });
}
