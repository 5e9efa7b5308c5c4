// Says which machine answers: for several workers behind one port, such as those of docker-compose.yml.
import os from "node:os";
import { serve } from "handoff-worker";

const body = `hello from Node on ${os.hostname()}\n`;

serve(() => ({ headers: { "content-type": "text/plain" }, body }));
