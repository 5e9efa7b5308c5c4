import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * The file by which a health check sees that this worker takes requests (docs/PROTOCOL.md, `HANDOFF_READY_FILE`). It exists exactly
 * while the worker is welcomed and its window is open. Its one line has the id of the process and, on Linux, the time at which the
 * process started. So a check can tell the file of a killed process from that of a living one.
 */
export class ReadyFile {
  #path;

  /** Removes the file of an earlier process. @param {string | undefined} path without one nothing is ever written */
  constructor(path) {
    this.#path = path;
    this.remove();
  }

  /** Writes the file; logs an error where it cannot be written. */
  put() {
    if (this.#path === undefined) return;
    // Written beside the path and then moved to it, so that a check sees all of the file or none.
    const unfinished = `${this.#path}.${process.pid}`;
    try {
      rmSync(unfinished, { force: true });
      writeFileSync(unfinished, `${`${process.pid} ${startedAt(process.pid) ?? ""}`.trimEnd()}\n`, { flag: "wx" });
      renameSync(unfinished, this.#path);
    } catch (error) {
      console.error(
        `handoff: HANDOFF_READY_FILE cannot be written, so health checks fail: ${/** @type {Error} */ (error).message}`,
      );
    }
  }

  /** Removes the file. May be called twice. */
  remove() {
    if (this.#path === undefined) return;
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      console.error(
        `handoff: HANDOFF_READY_FILE cannot be removed, so health checks may be wrong: ${/** @type {Error} */ (error).message}`,
      );
    }
  }
}

/**
 * When a process started, in ticks since boot; undefined for a process that has ended, and where the system does not say.
 *
 * @param {number} pid
 */
export function startedAt(pid) {
  let text;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return undefined;
  }
  // The name stands in parentheses and may have any characters. Behind it come the state and 18 numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}
