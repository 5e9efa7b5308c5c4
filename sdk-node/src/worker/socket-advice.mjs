import { statSync } from "node:fs";

/** Why this process may not use the worker socket, and what to do. @param {string} path of the socket */
export function socketAdvice(path) {
  const me = `this worker runs as user ${process.geteuid?.()} with group ${process.getegid?.()}`;
  let them;
  try {
    const { uid, gid } = statSync(path);
    them = `${uid}:${gid}`;
  } catch {
    return `${me}, which may not enter the folder of the socket: run it as the user of the core`;
  }
  return `${me}, the socket is of ${them}: run the worker as that user, or with that group as its own (in Compose: user: "${them}")`;
}
