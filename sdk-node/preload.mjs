// Loaded before a program (node --import handoff/preload app.mjs), lets it serve behind Handoff without knowing of it.
import { prepare } from "./src/preload/prepare.mjs";

if (process.env.HANDOFF_SOCKET && process.argv[1]) await prepare(process.argv[1]);
