// Lets a program serve behind Handoff without knowing of it. Loaded before the program: node --import handoff-worker/preload app.mjs
import { fileURLToPath } from "node:url";
import { isMainThread } from "node:worker_threads";
import { prepareApplication } from "./src/preload/prepare-application.mjs";

const { env, argv, execArgv } = process;
const NAMES = ["handoff-worker/preload", import.meta.url, fileURLToPath(import.meta.url)];

if (env.HANDOFF_SOCKET && argv[1] && isMainThread) {
  // Processes that the application forks get its options, and must not take themselves for the application.
  if (env.HANDOFF_TOKEN)
    process.execArgv = execArgv.filter((word, i) => !isThis(word) && !isThis(execArgv[i + 1], word));
  await prepareApplication(argv[1]);
}

/** @param {string | undefined} word @param {string} [before] */
function isThis(word, before = "--import") {
  return before === "--import" && word !== undefined && NAMES.includes(word.replace(/^--import=/, ""));
}
