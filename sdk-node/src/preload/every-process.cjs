"use strict";

// Every Node process that a worker's command starts requires this file, since NODE_OPTIONS names it: `npm start` starts npm, a shell
// and then the program. It does nothing in processes that cannot be the worker. It is required, not imported, since that costs least.

const { HANDOFF_SOCKET, HANDOFF_TOKEN } = process.env;

if (HANDOFF_SOCKET && HANDOFF_TOKEN && process.argv[1] && require("node:worker_threads").isMainThread) {
  require("./prepare.cjs").prepare(process.argv[1]);
}
