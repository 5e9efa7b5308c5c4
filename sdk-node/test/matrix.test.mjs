import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { Process } from "./support/process.mjs";
import { app, ask, serving } from "./support/serving.mjs";

const JSON_BODY = { method: "POST", headers: { "content-type": "application/json" } };
const BIG = Buffer.alloc(6 << 20, "0123456789");
const FORM =
  '--x\r\nContent-Disposition: form-data; name="field"\r\n\r\nvalue\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--x--\r\n';
const MULTIPART = { method: "POST", headers: { "content-type": "multipart/form-data; boundary=x" }, body: FORM };
const URL_ENCODED = {
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: "a=1&b[]=2&c=%C3%A4",
};

const EXPRESS = [
  ..."/ /json /buffer /empty /status/204 /status/304 /status/404 /redirect /cookies /session /file /download".split(
    " ",
  ),
  ..."/piped /gzipped /written /headers /request?a=1&b[c]=2 /accepts /throws /next /codes /after-end /big /nowhere".split(
    " ",
  ),
  { path: "/", method: "HEAD" },
  { path: "/", method: "OPTIONS" },
  { path: "/", headers: { "if-none-match": 'W/"c-Lve95gjOVATpfV8EL5X4nxwjKHE"' } },
  { path: "/file", headers: { range: "bytes=2-5" } },
  { path: "/file", method: "HEAD" },
  { path: "/accepts", headers: { accept: "application/json" } },
  { path: "/compressed", headers: { "accept-encoding": "gzip" } },
  { path: "/session", headers: { cookie: "session=eyJ2aWV3cyI6MX0=; session.sig=wrong" } },
  {
    path: "/request",
    headers: { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https", "x-many": ["a", "b"] },
  },
  { path: "/echo", ...JSON_BODY, body: '{"a":[1,"ü"]}' },
  { path: "/echo", ...JSON_BODY, body: "{broken" },
  { path: "/echo", ...URL_ENCODED },
  { path: "/raw", method: "POST", headers: { "content-type": "application/raw" }, body: BIG },
  { path: "/upload", ...MULTIPART },
  { path: "/unread", method: "POST", headers: { "content-type": "text/plain" }, body: "never asked for" },
  "/log",
];
const HTTP = [
  ..."/ /write-head /write-head-flat /merged /raw-names /encodings /interim /trailers /flushed /204 /304".split(" "),
  ..."/length /properties /events-of-get /events /nowhere".split(" "),
  { path: "/", method: "HEAD" },
  { path: "/events-of-post", method: "POST", body: "content" },
  "/events",
  { path: "/pipeline", method: "POST", body: BIG },
];
const FASTIFY = [
  ..."/ /text /schema /cookies /stream /throws /raw /request?a=1 /nowhere".split(" "),
  { path: "/", method: "HEAD" },
  { path: "/echo", ...JSON_BODY, body: '{"a":1}' },
  { path: "/echo", ...JSON_BODY, body: "{broken" },
  "/log",
];
const KOA = [
  ..."/ /json?a=1 /stream /empty /throws /nowhere".split(" "),
  { path: "/", method: "HEAD" },
  { path: "/cookies", headers: { cookie: "sent=1" } },
];
const HONO = [
  ..."/ /json /cookies /stream /redirect /throws /late /nowhere".split(" "),
  { path: "/", method: "HEAD" },
  { path: "/json", headers: { "x-agent": "a" } },
  { path: "/echo", ...JSON_BODY, body: '{"a":1}' },
  { path: "/form", ...MULTIPART, body: `${FORM.split("--x\r\n").slice(0, 2).join("--x\r\n")}--x--\r\n` },
  { path: "/form", ...URL_ENCODED },
];

for (const [name, handler, cases] of [
  ["Express 5", [app("matrix/express.mjs"), "--", "express"], EXPRESS],
  ["Express 4", [app("matrix/express.mjs"), "--", "express4"], EXPRESS],
  ["node:http", [app("matrix/plain-http.mjs")], HTTP],
  ["Fastify", [app("matrix/fastify.mjs")], FASTIFY],
  ["Koa", [app("matrix/koa.mjs")], KOA],
  ["Hono's own server", [app("matrix/hono.mjs")], HONO],
  // Its own server gives a stream without a type one.
  ["Hono's default export", [app("matrix/hono.mjs"), "--", "export"], HONO.filter((each) => each !== "/stream")],
]) {
  test(`answers an unchanged program's requests with the same bytes: ${name}`, async (context) => {
    const words = handler.slice(2).filter((word) => word !== "export");
    const direct = new Process(context, [process.execPath, handler[0], ...words]);
    const [, port] = await direct.told(/listening on (\d+)\./);
    const behind = await serving(context, handler);
    for (const each of cases) {
      const request = typeof each === "string" ? { path: each } : each;
      await context.test(
        `${request.method ?? "GET"} ${request.path} ${JSON.stringify(request.headers ?? {})}`,
        async () => {
          const headers = { host: "example.org", ...request.headers };
          const expected = await ask(Number(port), { ...request, headers });
          const response = await ask(behind.port, { ...request, headers });
          assert.deepEqual(comparable(response), comparable(expected));
        },
      );
    }
  });
}

/** Framing and connection are the core's affair, and names have no case. */
const OF_THE_CORE = new Set(["connection", "keep-alive", "transfer-encoding", "content-length", "date", "trailer"]);

function comparable({ status, reason, rawHeaders, content }) {
  const fields = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i].toLowerCase();
    if (!OF_THE_CORE.has(name)) fields.push(`${name}: ${rawHeaders[i + 1].replace("; charset", ";charset")}`);
  }
  return {
    status,
    reason,
    fields,
    content: told(content),
  };
}

/** The client's Connection field does not reach an application behind Handoff. */
function told(content) {
  if (content.length > 10_000) return createHash("sha256").update(content).digest("hex");
  return content.toString("latin1").replace(/,"connection":("close"|\["close"\])/, "");
}
