"use strict";

const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");

/** A program that speaks the protocol itself. */
const SPEAKS_ITSELF = "HANDOFF_SOCKET";
/** A program that calls serve(). */
const USES_SDK = /\b(from|import|import\s*\(|require\s*\()\s*["']handoff-worker["']/;

/**
 * Does for a program what it needs: nothing, if it speaks the protocol itself; to find `handoff-worker`, if it imports that; and else
 * to serve what it listens with. Says nothing, as the program may be npm or whatever else stands before the application.
 *
 * @param {string} program as Node was told it: a file, perhaps without its extension, or a folder
 * @returns {{ file: string, isApplication: boolean } | undefined} nothing for what is no file
 */
function prepare(program) {
  const file = fileOf(program);
  if (file === undefined) return undefined; // Node tells what is wrong with it
  const text = readFileSync(file, "utf8");
  const isApplication = !text.includes(SPEAKS_ITSELF) && !USES_SDK.test(text);
  if (isApplication) {
    require("./listening.cjs").serveWhatListens();
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
