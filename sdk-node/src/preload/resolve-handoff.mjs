import module from "node:module";

const index = new URL("../../index.mjs", import.meta.url).href;
const hooks = new URL("./resolve-hook.mjs", import.meta.url).href;

/** Lets `import "handoff"` find this package where none is installed. */
export function resolveHandoff() {
  const { registerHooks } = /** @type {any} */ (module);
  if (registerHooks) {
    registerHooks({
      /** @param {string} specifier @param {any} context @param {any} nextResolve */
      resolve(specifier, context, nextResolve) {
        if (specifier !== "handoff") return nextResolve(specifier, context);
        try {
          return nextResolve(specifier, context);
        } catch {
          return { url: index, format: "module", shortCircuit: true };
        }
      },
    });
  } else {
    module.register(hooks); // until Node 22.15: in a thread of its own
  }
}
