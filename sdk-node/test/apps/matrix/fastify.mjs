import Fastify from "fastify";

const app = Fastify({ bodyLimit: 20 << 20 });
app.addHook("onResponse", async (request) => log.push(request.url));
const log = [];

app.get("/", async () => ({ hello: "world" }));
app.get("/text", async (_request, reply) => reply.type("text/plain").send("text"));
app.get(
  "/schema",
  { schema: { response: { 200: { type: "object", properties: { kept: { type: "string" } } } } } },
  async () => ({ kept: "a", dropped: "b" }),
);
app.get("/cookies", async (_request, reply) => reply.header("set-cookie", ["a=1", "b=2"]).send(""));
app.get("/stream", async (_request, reply) => reply.send(new Response("as a stream").body));
app.get("/throws", async () => {
  throw new Error("thrown");
});
app.get("/raw", (_request, reply) => {
  reply.hijack();
  reply.raw.end("hijacked");
});
app.get("/log", async () => log.splice(0));
app.post("/echo", async (request) => request.body);
app.get("/request", async ({ method, url, hostname, protocol, ip, headers, query }) => ({
  method,
  url,
  hostname,
  protocol,
  ip,
  headers,
  query,
}));

await app.listen({ port: 0, host: "127.0.0.1" });
console.log(`listening on ${app.server.address().port}.`);
