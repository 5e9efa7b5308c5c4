import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

/** A program that speaks the protocol itself. */
const SPEAKS_ITSELF = "HANDOFF_SOCKET";
/** A program that calls serve(). */
const USES_SDK = /\b(from|import|import\s*\(|require\s*\()\s*["']handoff["']/;
const TYPESCRIPT = /\.[mc]?ts$/;
const OTHER_LOADERS = /tsx|ts-node|swc/;

/**
 * Does for a program what it needs: nothing, if it speaks the protocol itself; to find `handoff`, if it imports that; and else
 * to serve what it exports or listens with. Each of these is loaded only where it is needed.
 *
 * @param {string} program as Node was told it: a file, perhaps without its extension, or a folder
 */
export async function prepare(program) {
  const file = fileOf(program);
  if (file === undefined) return; // Node tells what is wrong with it
  if (TYPESCRIPT.test(file) && !stripsTypes()) {
    console.error(
      `handoff: Node.js ${process.versions.node} does not run ${file}: TypeScript needs 22.18 or newer, or 'handoff run -- npx tsx ${file}'`,
    );
    process.exit(2);
  }
  const text = readFileSync(file, "utf8");
  if (text.includes(SPEAKS_ITSELF)) return;
  if (USES_SDK.test(text)) {
    const { resolveHandoff } = await import("./resolve-handoff.mjs");
    resolveHandoff();
  } else {
    const { serveApplication } = await import("./serve-application.mjs");
    serveApplication(file);
  }
}

/** @param {string} program */
function fileOf(program) {
  try {
    return createRequire(import.meta.url).resolve(program);
  } catch {
    return undefined;
  }
}

function stripsTypes() {
  const { features, execArgv } = process;
  return Boolean(/** @type {any} */ (features).typescript) || execArgv.some((word) => OTHER_LOADERS.test(word));
}
