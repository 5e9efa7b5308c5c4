import { pathToFileURL } from "node:url";
import { listener } from "../node/listener.mjs";
import { dispatchOf, isServing, startWorker } from "../serve.mjs";
import { serveWhatListens } from "./listening.mjs";

/**
 * Serves a program that does not know Handoff: by what it listens with, or else by its default export.
 *
 * @param {string} file
 */
export function serveApplication(file) {
  serveWhatListens(startWorker);
  // The program is being loaded by then, so that this waits for it rather than loading it.
  setImmediate(async () => {
    const { default: application } = await import(pathToFileURL(file).href).catch(() => ({ default: undefined }));
    if (isServing() || !application) return;
    const dispatch = exported(application);
    if (dispatch) startWorker().open(dispatch);
  });
  process.on("beforeExit", () => {
    if (isServing()) return;
    console.error(
      `handoff: ${file} ended without serving: it neither called listen() on an http.Server, nor has it an 'export default' with a fetch method`,
    );
    process.exit(1);
  });
}

/** @param {any} application */
function exported(application) {
  if (typeof application.fetch === "function") return dispatchOf(application);
  if (typeof application !== "function") return undefined;
  return application.length > 1 ? listener(application) : dispatchOf({ fetch: application });
}
