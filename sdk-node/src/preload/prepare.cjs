"use strict";

const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

/** A program with this text speaks the protocol itself. */
const SPEAKS_ITSELF = "HANDOFF_SOCKET";
/** A program with this import calls serve(). */
const USES_SDK = /\b(from|import|import\s*\(|require\s*\()\s*["']handoff-worker["']/;
/** A program with this call was written for NGINX Unit. */
const USES_UNIT = /\brequire\s*\(\s*["']unit-http["']/;

/**
 * Prepares this process for its program: does nothing for one that speaks the protocol itself, helps one that imports
 * `handoff-worker` to find it, and makes any other serve with what it listens with. Logs nothing, since the program may be npm or
 * another one that starts the application.
 *
 * @param {string} program as Node was told it: a file, perhaps without its extension, or a folder
 * @returns {{ file: string, isApplication: boolean } | undefined} undefined where there is no such file
 */
function prepare(program) {
  const file = fileOf(program);
  if (file === undefined) return undefined; // Node tells what is wrong with it
  const text = readFileSync(file, "utf8");
  const isApplication = !text.includes(SPEAKS_ITSELF) && !USES_SDK.test(text);
  if (isApplication) {
    require("./listening.cjs").serveWhatListens();
    if (USES_UNIT.test(text)) require("./unit-http.cjs").aliasUnitHttp();
  } else if (!text.includes(SPEAKS_ITSELF)) {
    require("./resolve-sdk.cjs").resolveSdk();
  }
  return { file, isApplication };
}

/** @param {string} program */
function fileOf(program) {
  try {
    return createRequire(__filename).resolve(program);
  } catch {
    return undefined;
  }
}

module.exports = { prepare };
