import { serve } from "handoff";

serve(() => ({ headers: { "content-type": "text/plain" }, body: "hello\n" }));
