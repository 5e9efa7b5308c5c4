import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * The file by which a health check sees that this worker takes requests: it exists exactly while the worker is welcomed and its
 * window is open. Its one line has the id of the process and, on Linux, the time at which that started: so the file of a killed
 * process is told from that of a living one. docs/PROTOCOL.md tells of it at `HANDOFF_READY_FILE`.
 */
export class ReadyFile {
  #path;

  /** What an earlier process has left there goes. @param {string | undefined} path without one nothing is ever written */
  constructor(path) {
    this.#path = path;
    this.remove();
  }

  put() {
    if (this.#path === undefined) return;
    // Beside it and then in its place, so that a check sees all of it or none.
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
 * In ticks since the boot of the machine; undefined where there is no such process, it has ended, or the system does not say.
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
  // The name in parentheses, which may have any characters, is followed by the state and 18 numbers.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? undefined : fields[19];
}
