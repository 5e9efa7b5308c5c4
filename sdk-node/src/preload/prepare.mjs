import { readFileSync } from "node:fs";
import { resolveHandoff } from "./resolve-handoff.mjs";
import { serveApplication } from "./serve-application.mjs";

/** A program that speaks the protocol itself. */
const SPEAKS_ITSELF = "HANDOFF_SOCKET";
/** A program that calls serve(). */
const USES_SDK = /\b(from|import|import\s*\(|require\s*\()\s*["']handoff["']/;
const TYPESCRIPT = /\.[mc]?ts$/;
const OTHER_LOADERS = /tsx|ts-node|swc/;

/**
 * Does for a program what it needs: nothing, if it speaks the protocol itself; to find `handoff`, if it imports that; and else
 * to serve what it exports or listens with.
 *
 * @param {string} file the program
 */
export function prepare(file) {
  if (TYPESCRIPT.test(file) && !stripsTypes()) {
    console.error(
      `handoff: Node.js ${process.versions.node} does not run ${file}: TypeScript needs 22.18 or newer, or 'handoff run -- npx tsx ${file}'`,
    );
    process.exit(2);
  }
  const text = readFileSync(file, "utf8");
  if (text.includes(SPEAKS_ITSELF)) return;
  if (USES_SDK.test(text)) resolveHandoff();
  else serveApplication(file);
}

function stripsTypes() {
  const { features, execArgv } = process;
  return Boolean(/** @type {any} */ (features).typescript) || execArgv.some((word) => OTHER_LOADERS.test(word));
}
