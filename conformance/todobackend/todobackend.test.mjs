// The cases of todobackend.com's specification, run in a real browser from another origin, so that CORS and its preflights count.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { serving } from "../../sdk-node/test/support/serving.mjs";
import { pageOfAnotherOrigin, requestsOf } from "./support/browser.mjs";

const BACKENDS = ["examples-node/todo-backend.mjs", "examples-python/todo_backend.py"];

/** Each begins with an empty list. @type {Record<string, (send: any, root: string) => Promise<unknown>>} */
const CASES = {
  "the root answers a GET of another origin": async (send, root) => {
    await send.get(root);
  },

  "the root answers a POST with the to-do that was posted": async (send, root) => {
    assert.equal((await send.post(root, { title: "a todo" })).title, "a todo");
  },

  "the root answers a DELETE": async (send, root) => {
    await send.delete(root);
  },

  "after a DELETE the root answers a GET with an empty array": async (send, root) => {
    await send.delete(root);
    assert.deepEqual(await send.get(root), []);
  },

  "adds a new to-do to the list at the root": async (send, root) => {
    await send.post(root, { title: "walk the dog" });
    const list = await send.get(root);
    assert.deepEqual(
      list.map(({ title }) => title),
      ["walk the dog"],
    );
  },

  "a new to-do is not completed": async (send, root) => {
    assert.equal((await send.post(root, { title: "blah" })).completed, false);
    assert.equal((await send.get(root))[0].completed, false);
  },

  "each new to-do has a url": async (send, root) => {
    assert.equal(typeof (await send.post(root, { title: "blah" })).url, "string");
    assert.equal(typeof (await send.get(root))[0].url, "string");
  },

  "each new to-do's url returns it": async (send, root) => {
    const made = await send.post(root, { title: "my todo" });
    assert.deepEqual(await send.get(made.url), made);
  },

  "leads from the list to each to-do by its url": async (send, root) => {
    await send.post(root, { title: "todo the first" });
    await send.post(root, { title: "todo the second" });
    for (const listed of await send.get(root)) assert.deepEqual(await send.get(listed.url), listed);
  },

  "changes the title by PATCH": async (send, root) => {
    const { url } = await send.post(root, { title: "initial title" });
    assert.equal((await send.patch(url, { title: "bathe the cat" })).title, "bathe the cat");
  },

  "changes the completedness by PATCH": async (send, root) => {
    const { url } = await send.post(root, { title: "blah" });
    assert.equal((await send.patch(url, { completed: true })).completed, true);
  },

  "keeps changes, for its url and for the list": async (send, root) => {
    const { url } = await send.post(root, { title: "blah" });
    const changed = await send.patch(url, { title: "changed title", completed: true });
    assert.deepEqual([changed.title, changed.completed], ["changed title", true]);
    assert.deepEqual(await send.get(url), changed);
    assert.deepEqual(await send.get(root), [changed]);
  },

  "deletes a to-do by DELETE to its url": async (send, root) => {
    const { url } = await send.post(root, { title: "blah" });
    await send.delete(url);
    assert.deepEqual(await send.get(root), []);
    await assert.rejects(send.get(url), /404/);
  },

  "makes a to-do with an order": async (send, root) => {
    assert.equal((await send.post(root, { title: "blah", order: 523 })).order, 523);
  },

  "changes the order by PATCH": async (send, root) => {
    const { url } = await send.post(root, { title: "blah", order: 10 });
    assert.equal((await send.patch(url, { order: 95 })).order, 95);
  },

  "remembers a changed order": async (send, root) => {
    const { url } = await send.post(root, { title: "blah", order: 10 });
    await send.patch(url, { order: 95 });
    assert.equal((await send.get(url)).order, 95);
  },
};

for (const backend of BACKENDS) {
  test(`TodoBackend: ${backend}`, async (context) => {
    const file = fileURLToPath(new URL(`../../${backend}`, import.meta.url));
    const { url } = await serving(context, [file]);
    const send = requestsOf(await pageOfAnotherOrigin(context));
    for (const [rule, check] of Object.entries(CASES)) {
      await context.test(rule, async () => {
        await send.delete(`${url}/`);
        await check(send, `${url}/`);
      });
    }
  });
}

test("a page is not shown an answer without the fields of CORS", async (context) => {
  const { url } = await serving(context, [
    fileURLToPath(new URL("../../examples-node/sdk-hello.mjs", import.meta.url)),
  ]);
  const send = requestsOf(await pageOfAnotherOrigin(context));
  await assert.rejects(send.get(`${url}/`), /Failed to fetch/);
});
