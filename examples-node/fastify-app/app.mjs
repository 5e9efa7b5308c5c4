// A Fastify application that knows nothing of Handoff.
//
//     npm install
//     handoff run app.mjs
import Fastify from "fastify";

const app = Fastify();

const numbers = { type: "array", items: { type: "number" } };
const schema = { body: { type: "object", required: ["numbers"], properties: { numbers } } };

app.get("/", async () => ({ hello: "world" }));

app.post("/sum", { schema }, async (request) => {
  const { body } = /** @type {{ body: { numbers: number[] } }} */ (request);
  return { sum: body.numbers.reduce((sum, number) => sum + number, 0) };
});

await app.listen({ port: 3000 });
