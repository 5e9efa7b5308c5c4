// A Handoff worker that sends back what it got, in plain Node.
//
// The body and its content-type come back as they are; method, target and headers come back as response headers. In the
// target's query, `delay=MILLIS` delays this answer (and no other), `status=NNN` chooses its status.
import net from "node:net";

/** @typedef {[name: string, value: string][]} Headers */
/** @typedef {{ jsonBytes: number, bodyBytes: number }} Limits */
/** @typedef {{ type: string, id: number, method: string, target: string, headers: Headers, message: string, limits: Limits }} Head */
/** @typedef {(head: Head, body: Buffer) => void} Take */

const { HANDOFF_SOCKET, HANDOFF_TOKEN: token, HANDOFF_POOL: pool } = process.env;
const concurrency = Number(process.env.HANDOFF_CONCURRENCY || 64);
const hello = { type: "hello", protocol: 1, concurrency, pool, token, name: "echo.mjs", pid: process.pid };
/** @type {Buffer} */
const nothing = Buffer.alloc(0);
let leaving = false; // one of the two has said drain

/** @param {object} head */
function frame(head, body = nothing) {
  const json = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(json.length, 0);
  lengths.writeUInt32BE(body.length, 4);
  return Buffer.concat([lengths, json, body]);
}

/** JSON in ASCII, as a header's value must not hold what ISO-8859-1 lacks. @param {unknown} value */
function asciiJson(value) {
  return JSON.stringify(value).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** How many milliseconds the answer shall wait, and its frame. @param {Head} request @param {Buffer} body */
function echo({ id, method, target, headers }, body) {
  const query = new URLSearchParams(target.split("?")[1]);
  const status = Number(query.get("status") ?? 200);
  const millis = Number(query.get("delay") ?? 0);
  if (!Number.isInteger(status) || Number.isNaN(millis)) {
    return { millis: 0, answer: frame({ type: "failure", id, message: "status is an integer, delay a number" }) };
  }
  const echoed = headers.filter(([name]) => name === "content-type");
  echoed.push(["Echo-Method", method], ["Echo-Target", target], ["Echo-Headers", asciiJson(headers)]);
  return { millis, answer: frame({ type: "response", id, status, headers: echoed }, body) };
}

/** Calls `take` with each whole frame and returns the bytes after them. @param {Buffer} buffer @param {Take} take */
function takeFrames(buffer, take) {
  let start = 0;
  while (buffer.length >= start + 8) {
    const bodyAt = start + 8 + buffer.readUInt32BE(start);
    const end = bodyAt + buffer.readUInt32BE(start + 4);
    if (buffer.length < end) break;
    take(JSON.parse(buffer.toString("utf8", start + 8, bodyAt)), buffer.subarray(bodyAt, end));
    start = end;
  }
  return buffer.subarray(start);
}

function serve() {
  const core = net.connect(String(HANDOFF_SOCKET));
  /** @type {Map<number, Buffer>} Answers that wait, by the id of their request. */
  const delayed = new Map();
  let unread = nothing;
  let drained = false;
  let limits = { jsonBytes: 0, bodyBytes: 0 }; // the largest frame that the core takes

  /** @param {number} id */
  function sendDelayed(id) {
    const answer = delayed.get(id);
    if (answer) core.write(answer); // not yet sent early
    delayed.delete(id);
    if (drained && delayed.size === 0) core.end();
  }

  /** @type {Take} */
  function take(head, body) {
    if (!head.type) throw new Error("a frame without a type");
    if (head.type === "welcome") limits = head.limits;
    if (head.type === "request") {
      let { millis, answer } = echo(head, body);
      if (answer.readUInt32BE(0) > limits.jsonBytes || answer.readUInt32BE(4) > limits.bodyBytes) {
        answer = frame({ type: "failure", id: head.id, message: "the response is larger than the core takes" });
      }
      delayed.set(head.id, answer);
      if (millis > 0) setTimeout(sendDelayed, millis, head.id);
      else sendDelayed(head.id);
    }
    if (head.type === "cancel") sendDelayed(head.id); // now: nobody waits for it, but for its place in the window
    if (head.type === "ping") core.write(frame({ type: "pong" }));
    if (head.type === "drain") leaving = drained = true;
    if (head.type === "refused") console.error("refused:", head.message); // the core hangs up now
  }

  function leave() {
    leaving = true;
    core.write(frame({ type: "drain" })); // the core hangs up after the last answer
  }

  core.write(frame(hello));
  core.on("data", (chunk) => {
    core.cork(); // all that is answered at once leaves in one write
    unread = takeFrames(Buffer.concat([unread, chunk]), take);
    core.uncork();
    if (drained && delayed.size === 0) core.end();
  });
  core.on("error", (error) => console.error(error.message));
  core.on("close", () => {
    process.off("SIGTERM", leave);
    if (leaving) process.exit(0);
    if (token) process.exit(1); // a worker that the core started leaves with it
    setTimeout(serve, 100 + 900 * Math.random());
  });
  process.on("SIGTERM", leave);
}

serve();
