// Takes docs/dashboard.png: a server under a changing load, with one request that hangs.
//
//     node admin/src/test/page/screenshot.mjs FILE

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { launch } from "./browser.mjs";
import { ask } from "./clients.mjs";
import { Handoff } from "./handoff.mjs";
import { open } from "./pages.mjs";

/** Connections of the load generator, and for how many seconds. */
const LOAD = [
  [8, 25],
  [48, 45],
  [16, 30],
  [96, 40],
  [32, 50],
  [64, 16],
];

const folder = mkdtempSync(path.join(tmpdir(), "handoff-screenshot-"));
const config = path.join(folder, "handoff.json");
const pools = {
  web: { command: "examples-python/hello.py", workers: 2, routes: [{ path: "/" }] },
  reports: {
    command: ["node", path.join(import.meta.dirname, "workers", "holds.mjs")],
    workers: 2,
    routes: [{ path: "/hold" }],
  },
};
writeFileSync(config, JSON.stringify({ port: 0, adminPort: 0, requestTimeout: "20s", pools }));

const browser = await launch();
const handoff = await Handoff.start("serve", "--config", config);
const { page } = await open(browser, handoff.adminUrl, { viewport: { width: 1280, height: 1010 } });
for (const [index, [connections, seconds]] of LOAD.entries()) {
  if (index === LOAD.length - 1) ask(new URL("/hold/quarterly-report", handoff.url).href);
  const load = spawn("wrk", ["-t1", `-c${connections}`, `-d${seconds}s`, handoff.url], { stdio: "ignore" });
  if (index === LOAD.length - 1) {
    await page.locator('[data-urgency="slow"]').first().waitFor();
    await page.screenshot({ path: process.argv[2] });
  }
  await once(load, "exit");
}
await browser.close();
await handoff.stop();
rmSync(folder, { recursive: true });
