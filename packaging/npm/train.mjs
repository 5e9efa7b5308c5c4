// What scripts/train is, for those who have Node and no Python: node train.mjs FOLDER JAVA_HOME CACHE makes the AOT cache of what npm has
// installed, by a run that does what a start and the first requests do.

import { spawn } from "node:child_process";
import { lstat, mkdtemp, readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";

const REQUESTS = 200;
const LONGEST_MILLIS = 120_000;
const KEPT_MILLIS = 60 * 24 * 3600 * 1000;
const OPERATORS_ASK = ["live", "ready", "workers", "requests", "stats", "metrics", "config", ""];

/** @param {string} home @param {string} javaHome @param {string} cache */
async function makeForUser(home, javaHome, cache) {
  await removeOld(dirname(cache));
  const unfinished = await mkdtemp(join(dirname(cache), ".training-"));
  try {
    const made = join(unfinished, "made");
    await run(join(javaHome, "bin", "java"), await commandLine(home, made));
    // Only now: a server that starts meanwhile does without, rather than read half of it.
    await rename(made, cache);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  // Where nothing came of it, the mark of the start script stays, so that not every start tries again.
  await rmdir(`${cache}.begun`);
}

/**
 * Removes what versions have left behind that nobody has started for long, and trainings that were killed.
 *
 * @param {string} caches
 */
async function removeOld(caches) {
  for (const name of await readdir(caches)) {
    const path = join(caches, name);
    try {
      const { atimeMs, mtimeMs } = await lstat(path);
      const unused = Date.now() - Math.max(atimeMs, mtimeMs);
      if (name.endsWith(".aot") && unused > KEPT_MILLIS) {
        await rm(path);
      } else if (name.endsWith(".begun") && unused > KEPT_MILLIS) {
        await rmdir(path);
      } else if (name.startsWith(".training-") && unused > LONGEST_MILLIS + 60_000) {
        await rm(path, { recursive: true, force: true });
      }
    } catch {
      // Another training may remove it as well.
    }
  }
}

/**
 * With the flags of the start script.
 *
 * @param {string} home
 * @param {string} made
 */
async function commandLine(home, made) {
  const launcher = (await readdir(join(home, "lib"))).find((name) => /^handoff-launcher-.*\.jar$/.test(name));
  const flags = [`-XX:AOTCacheOutput=${made}`, "-XX:+UseParallelGC", "-XX:-UsePerfData"];
  const serve = ["run", join(home, "examples-node", "hello.mjs"), "--port", "0", "--admin-port", "0"];
  return [...flags, "-jar", join(home, "lib", String(launcher)), ...serve];
}

/** @param {string} java @param {string[]} options */
async function run(java, options) {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("HANDOFF_"));
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  const env = { ...Object.fromEntries(own), PATH: path };
  // In a group of its own, which the terminal's signals do not reach.
  const server = spawn(java, options, { env, stdio: ["ignore", "pipe", "ignore"], detached: true });
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve, reject) => {
    server.on("error", reject);
    server.on("exit", resolve);
  });
  const stuck = setTimeout(() => server.kill("SIGKILL"), LONGEST_MILLIS);
  try {
    const [serverUrl, adminUrl] = await urls(server.stdout);
    // The first waits for its worker.
    for (let i = 0; i < REQUESTS; i++) {
      await ask(serverUrl);
    }
    for (const what of OPERATORS_ASK) {
      await ask(adminUrl + what);
    }
    server.kill("SIGTERM");
    const code = await ended;
    if (code !== 0) {
      throw new Error(`Java ended with ${code}`);
    }
  } finally {
    clearTimeout(stuck);
    server.kill("SIGKILL");
  }
}

/** @param {import("node:stream").Readable} output */
async function urls(output) {
  let greeting = "";
  for await (const line of createInterface({ input: output })) {
    greeting += `${line}\n`;
    if (line.includes("dashboard")) {
      const found = greeting.match(/http:\/\/\S+?:\d+\//g) ?? [];
      return [String(found[0]), String(found[1])];
    }
  }
  throw new Error(`it does not serve: ${greeting}`);
}

/** @param {string} url */
async function ask(url) {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  if (answer.status !== 200) {
    throw new Error(`${basename(url)}: ${answer.status}`);
  }
}

// Deaf to the terminal, as the start script has begun it, which Node does not inherit.
process.on("SIGINT", () => {});
process.on("SIGHUP", () => {});

const [home, javaHome, cache] = process.argv.slice(2);
await makeForUser(String(home), String(javaHome), String(cache));
