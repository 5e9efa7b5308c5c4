"use strict";

const module_ = require("node:module");
const { pathToFileURL } = require("node:url");

const index = pathToFileURL(require.resolve("../../index.mjs")).href;
const hooks = pathToFileURL(require.resolve("./resolve-hook.mjs")).href;

let done = false;

/** Makes `import "handoff-worker"` find this package where none is installed. */
function resolveSdk() {
  if (done) return;
  done = true;
  const { registerHooks } = /** @type {any} */ (module_);
  if (registerHooks) {
    registerHooks({
      /** @param {string} specifier @param {any} context @param {any} nextResolve */
      resolve(specifier, context, nextResolve) {
        if (specifier !== "handoff-worker") return nextResolve(specifier, context);
        try {
          return nextResolve(specifier, context);
        } catch {
          return { url: index, format: "module", shortCircuit: true };
        }
      },
    });
  } else {
    module_.register(hooks); // until Node 22.15: in a thread of its own
  }
}

module.exports = { resolveSdk };
