import http from "node:http";
import { fileURLToPath } from "node:url";
import { Process } from "./process.mjs";

/** However busy the machine is, a worker gets the time to start. */
const PATIENT = ["--no-worker-grace", "60s"];
const HANDOFF = fileURLToPath(new URL("../../../handoff", import.meta.url));

/**
 * A whole Handoff, as `handoff run` starts it, with one worker.
 *
 * @param {import("node:test").TestContext} context
 * @param {string[]} handler a file and its words, or `--` and a command
 * @param {{ cwd?: string, options?: string[], environment?: Record<string, string> }} [how]
 */
export async function serving(context, handler, { cwd, options = [], environment = {} } = {}) {
  const run = [
    HANDOFF,
    "run",
    "--port",
    "0",
    "--admin-port",
    "0",
    "--workers",
    "1",
    ...PATIENT,
    ...options,
    ...handler,
  ];
  const process_ = new Process(context, run, { cwd, env: { ...process.env, ...environment } });
  const [, port] = await process_.told(/→ http:\/\/127\.0\.0\.1:(\d+)\//);
  return { port: Number(port), url: `http://127.0.0.1:${port}`, process: process_ };
}

/** The path of a program in test/apps. @param {string} name */
export function app(name) {
  return fileURLToPath(new URL(`../apps/${name}`, import.meta.url));
}

/**
 * One request on a connection of its own, and what came back, with the fields as they were written.
 *
 * @param {number} port
 * @param {{ method?: string, path?: string, headers?: http.OutgoingHttpHeaders, body?: string | Uint8Array, signal?: AbortSignal }} request
 */
export function ask(port, { body, ...request }) {
  return new Promise((resolve, reject) => {
    const sent = http.request({ host: "127.0.0.1", port, agent: false, ...request }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status, statusMessage: reason, headers, rawHeaders } = response;
        const content = Buffer.concat(chunks);
        resolve({ status, reason, headers, rawHeaders, content, text: content.toString() });
      });
    });
    sent.on("error", reject);
    sent.end(body);
  });
}
