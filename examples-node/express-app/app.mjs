// An Express application that knows nothing of Handoff.
//
//     npm install
//     handoff run app.mjs
import express from "express";

const app = express();

app.use(express.json());

app.get("/", (_request, response) => {
  response.send("Hello World!");
});

app.get("/greetings/:name", (request, response) => {
  response.json({ greeting: `Hello ${request.params.name}`, from: request.ip });
});

app.post("/sum", (request, response) => {
  const numbers = request.body?.numbers;
  if (!Array.isArray(numbers)) return response.status(400).json({ error: "send { numbers: [1, 2] }" });
  return response.json({ sum: numbers.reduce((sum, number) => sum + number, 0) });
});

app.listen(3000, () => console.log("ready"));
