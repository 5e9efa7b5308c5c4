import Fastify from "fastify";

const app = Fastify();
app.get("/", (_request, reply) => reply.type("text/plain").send("hello\n"));
await app.listen({ port: Number(process.argv[2] ?? 0), host: "127.0.0.1" });
