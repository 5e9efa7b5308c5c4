// The smallest handler: a function from request to answer.
//
//     handoff run examples-node/sdk-hello.mjs
import { serve } from "handoff-worker";

serve(() => ({ headers: { "content-type": "text/plain" }, body: "hello\n" }));
