// A handler that answers after a second. second.py is its twin.
import { setTimeout } from "node:timers/promises";
import { serve } from "handoff-worker";

serve(async () => {
  await setTimeout(1000);
  return { headers: { "content-type": "text/plain" }, body: "hello\n" };
});
