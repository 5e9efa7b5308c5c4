import express from "express";

const app = express();
app.get("/", (_request, response) => response.type("text/plain").send("hello\n"));
app.listen(Number(process.argv[2] ?? 0), "127.0.0.1");
