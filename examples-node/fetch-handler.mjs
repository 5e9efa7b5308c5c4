// A handler of the Web's own kind, from a Request to a Response. It imports nothing: the default export is found.
//
//     handoff run examples-node/fetch-handler.mjs
export default {
  /** @param {Request} request */
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/slow") return slowly(request.signal);
    if (request.method === "POST") return Response.json({ received: await request.json() });
    return Response.json({ hello: searchParams.get("name") ?? "world" });
  },
};

/** Works until it is done, or until nobody waits for it. @param {AbortSignal} signal */
async function slowly(signal) {
  let steps = 0;
  while (steps < 100 && !signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    steps++;
  }
  return Response.json({ steps });
}
