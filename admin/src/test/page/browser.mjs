// Chromium as the system has it, without what it would do on its own account.

import { chromium } from "playwright-core";

const OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

export function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: OPTIONS });
}
