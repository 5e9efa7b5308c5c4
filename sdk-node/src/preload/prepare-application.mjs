import { prepare } from "./prepare.cjs";

const TYPESCRIPT = /\.[mc]?ts$/;
const OTHER_LOADERS = /tsx|ts-node|swc/;

/**
 * Prepares this process for the program that is the application, and says what the program lacks. Loads each part only where it is
 * needed. Ends the process with 2 for TypeScript that this Node does not run.
 *
 * @param {string} program as Node was told it: a file, perhaps without its extension, or a folder
 */
export async function prepareApplication(program) {
  const found = prepare(program);
  if (found === undefined) return;
  const { file, isApplication } = found;
  if (TYPESCRIPT.test(file) && !stripsTypes()) {
    console.error(
      `handoff: Node.js ${process.versions.node} does not run ${file}: TypeScript needs 22.18 or newer, or 'handoff run -- npx tsx ${file}'`,
    );
    process.exit(2);
  }
  if (isApplication) {
    const { serveApplication } = await import("./serve-application.mjs");
    serveApplication(file);
  }
}

function stripsTypes() {
  const { features, execArgv, env } = process;
  const options = [...execArgv, env.NODE_OPTIONS ?? ""];
  return Boolean(/** @type {any} */ (features).typescript) || options.some((word) => OTHER_LOADERS.test(word));
}
