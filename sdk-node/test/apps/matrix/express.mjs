// An Express application that uses what applications use, unchanged between node:http and Handoff. Its word: express or express4.
import { createReadStream } from "node:fs";
import { fileURLToPath } from "node:url";
import { createGzip } from "node:zlib";
import compression from "compression";
import cookieSession from "cookie-session";
import morgan from "morgan";
import multer from "multer";

const { default: express } = await import(process.argv[2] ?? "express");
const file = fileURLToPath(new URL("file.txt", import.meta.url));
const log = [];

const app = express();
app.set("trust proxy", "loopback");
app.use(morgan("tiny", { stream: { write: (line) => log.push(line.replace(/ [\d.]+ ms/, "").trim()) } }));
app.use(cookieSession({ name: "session", keys: ["secret"] }));
app.get("/compressed", compression({ threshold: 0 }), (_request, response) =>
  response.send("compress me ".repeat(100)),
);
app.use(
  express.json({ limit: "20mb" }),
  express.urlencoded({ extended: true }),
  express.raw({ type: "application/raw", limit: "20mb" }),
);

app.get("/", (_request, response) => response.send("Hello World!"));
app.get("/json", (_request, response) => response.json({ ok: true, text: "grüße" }));
app.get("/buffer", (_request, response) => response.send(Buffer.from([0, 255, 128])));
app.get("/empty", (_request, response) => response.end());
app.get("/status/:code", (request, response) => response.sendStatus(Number(request.params.code)));
app.get("/redirect", (_request, response) => response.redirect("/elsewhere"));
app.get("/cookies", (_request, response) => response.cookie("a", "1").cookie("b", "ü").send("set"));
app.get("/session", (request, response) => {
  request.session.views = (request.session.views ?? 0) + 1;
  response.json(request.session.views);
});
app.get("/file", (_request, response) => response.sendFile(file));
app.get("/download", (_request, response) => response.download(file, "näme.txt"));
app.get("/piped", (_request, response) => createReadStream(file).pipe(response));
app.get("/gzipped", (_request, response) => {
  response.set("content-encoding", "gzip");
  createReadStream(file).pipe(createGzip()).pipe(response);
});
app.get("/written", (_request, response) => {
  response.write("one ");
  response.write(Buffer.from("two "), () => response.end("three"));
});
app.get("/headers", (_request, response) => {
  response
    .set("X-Latin", "\u00e4\u00ff")
    .append("X-Many", "a")
    .append("X-Many", "b")
    .vary("Accept")
    .type("html")
    .links({ next: "/n" });
  response.send("headers");
});
app.get("/request", (request, response) => {
  const { method, url, originalUrl, path, query, hostname, protocol, secure, ip, ips, httpVersion } = request;
  const { connection: _ofTheCore, ...headers } = request.headers;
  response.json({ method, url, originalUrl, path, query, hostname, protocol, secure, ip, ips, httpVersion, headers });
});
app.get("/accepts", (_request, response) =>
  response.format({ text: () => response.send("text"), json: () => response.json("json") }),
);
app.post("/echo", (request, response) => response.json({ body: request.body }));
app.post("/raw", (request, response) => response.type("application/raw").send(request.body));
app.post("/upload", multer().single("file"), ({ file: upload, body }, response) => {
  response.json({ name: upload.originalname, type: upload.mimetype, size: upload.size, fields: body });
});
app.post("/unread", (_request, response) => response.send("not read"));
app.get("/throws", () => {
  throw Object.assign(new Error("thrown"), { status: 418, expose: true });
});
app.get("/next", (_request, _response, next) => next(new Error("passed on")));
app.get("/codes", (_request, response) => {
  const codes = [
    () => response.setHeader("a b", "c"),
    () => response.setHeader("a", "b\r\nc: d"),
    () => response.setHeader("a", "\u0100"),
    () => response.status(1e6).end(),
  ].map(codeOf);
  response.status(200).json(codes);
});
app.get("/after-end", (_request, response) => {
  response.send("sent");
  const codes = [() => response.setHeader("late", "1"), () => response.send("again"), () => response.end()].map(codeOf);
  log.push(`after end: ${codes} ${response.headersSent} ${response.writableEnded}`);
});
app.get("/big", (_request, response) => response.send("0123456789".repeat(500_000)));
app.get("/log", (_request, response) => response.json(log.splice(0)));
app.use((error, _request, response, _next) =>
  response.status(error.status ?? 500).json({ error: error.message, type: error.type }),
);

function codeOf(call) {
  try {
    call();
    return "none";
  } catch (error) {
    return error.code;
  }
}

const server = app.listen(0, "127.0.0.1", () => console.log(`listening on ${server.address().port}.`));
