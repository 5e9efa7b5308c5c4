const index = new URL("../../index.mjs", import.meta.url).href;

/** @type {import("node:module").ResolveHook} */
export async function resolve(specifier, context, nextResolve) {
  if (specifier !== "handoff-worker") return nextResolve(specifier, context);
  try {
    return await nextResolve(specifier, context);
  } catch {
    return { url: index, format: "module", shortCircuit: true };
  }
}
