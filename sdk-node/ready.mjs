// `node node_modules/handoff-worker/ready.mjs`: tells the health check of an image whether the worker in its container takes requests.
// Exits with 0 while the file that HANDOFF_READY_FILE names is there and belongs to a living process, else with 1. Prints why not.
import { existsSync, readFileSync } from "node:fs";
import { startedAt } from "./src/worker/ready-file.mjs";

const reason = whyNot(process.env.HANDOFF_READY_FILE);
console.log(reason ?? "ready");
process.exitCode = reason === undefined ? 0 : 1;

/** Why the worker is not ready; undefined where it is. @param {string | undefined} path */
function whyNot(path) {
  if (!path) return "HANDOFF_READY_FILE is not set: name the same file to the worker and to this command";
  let text;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    return code === "ENOENT" ? `no worker is ready: ${path} is not there` : message;
  }
  const [pid, started] = text.trim().split(/\s+/);
  if (!/^\d+$/.test(pid)) return `${path} does not begin with the id of a process`;
  if (!lives(Number(pid)) || (started !== undefined && startedAt(Number(pid)) !== started)) {
    return `the process ${pid}, which was ready, is gone`;
  }
  return undefined;
}

/** Whether there is a process with this id. @param {number} pid */
function lives(pid) {
  if (existsSync("/proc/self/stat")) return startedAt(pid) !== undefined;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}
