// A plain handler that sends what an emitter emits.
import { EventEmitter, on } from "node:events";
import { events, serve } from "handoff-worker";

const emitter = new EventEmitter();
emitter.on("removeListener", (name) => console.log(`listeners: ${emitter.listenerCount(name)}`));

async function* ticks(signal) {
  try {
    for await (const [text] of on(emitter, "tick", { signal })) yield text;
  } catch (error) {
    if (error.name !== "AbortError") throw error; // the client has left
  }
}

serve(({ target, signal }) => {
  if (target !== "/emit") return events(ticks(signal));
  emitter.emit("tick", "tick");
  return { body: "emitted" };
});
