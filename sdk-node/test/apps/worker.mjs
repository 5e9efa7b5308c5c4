// A plain handler whose target says what to do.
import { serve } from "handoff-worker";

const wait = [];

serve(
  (request) => {
    const [, what, word] = request.target.split("/");
    switch (what) {
      case "wait":
        return new Promise((resolve) => wait.push(resolve));
      case "release":
        for (const resolve of wait.splice(0)) resolve({ body: "released" });
        return { body: "done" };
      case "until-abort":
        return new Promise((resolve) => {
          request.signal.onabort = () => {
            console.log(`aborted: ${request.signal.reason.name}`);
            resolve({});
          };
        });
      case "throw":
        throw new Error(word);
      case "throw-no-text":
        throw Object.assign(word ? new Error() : Object.create(null), { message: null });
      case "late":
        setImmediate(() => {
          throw new Error("thrown late");
        });
        return new Promise(() => {});
      case "rejection":
        Promise.reject(new Error("rejected"));
        return new Promise(() => {});
      case "long":
        return { body: "x".repeat(Number(word)) };
      default:
        return { headers: { "content-type": "text/plain" }, body: `${request.method} ${request.target}` };
    }
  },
  { onClose: () => console.log("closed") },
);
