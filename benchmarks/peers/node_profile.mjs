/** Loaded into a Node worker: SIGUSR2 starts V8's profiler, and the next one writes to PROFILE_TO what it saw. */

import { renameSync, writeFileSync } from "node:fs";
import { Session } from "node:inspector/promises";

const MICROS_BETWEEN_SAMPLES = 1000;
let session = null;

process.on("SIGUSR2", async () => {
  if (session === null) {
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: MICROS_BETWEEN_SAMPLES });
    await session.post("Profiler.start");
    return;
  }
  const { profile } = await session.post("Profiler.stop");
  const file = process.env.PROFILE_TO;
  // Under another name until it is whole, because the harness waits for it.
  writeFileSync(`${file}.part`, JSON.stringify(profile));
  renameSync(`${file}.part`, file);
});
