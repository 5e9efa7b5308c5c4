"use strict";

// Required by every Node process that a worker's command starts, since NODE_OPTIONS names it: `npm start` is npm, a shell and then
// the program. It does nothing in those that are no candidate for the worker, and is required rather than imported because
// that costs them least.

const { HANDOFF_SOCKET, HANDOFF_TOKEN } = process.env;

if (HANDOFF_SOCKET && HANDOFF_TOKEN && process.argv[1] && require("node:worker_threads").isMainThread) {
  require("./prepare.cjs").prepare(process.argv[1]);
}
