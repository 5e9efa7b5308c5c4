import { pathToFileURL } from "node:url";
import { listener } from "../node/listener.mjs";
import { dispatchOf, isServing, startWorker } from "../serve.mjs";
import listening from "./listening.cjs";

/**
 * Serves the default export of the application where it listens at no port. Ends the process with 1 where it has none either.
 *
 * @param {string} file
 */
export function serveApplication(file) {
  const servers = listening.serveWhatListens();
  // By then the program is being loaded, so the import waits for it and does not load it again.
  setImmediate(async () => {
    const { default: application } = await import(pathToFileURL(file).href).catch(() => ({ default: undefined }));
    if (isServing() || servers.hasApplication || !application) return;
    const dispatch = exported(application);
    if (dispatch) startWorker().open(dispatch);
  });
  process.on("beforeExit", () => {
    if (isServing() || servers.hasApplication) return;
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
