// Node's http client: asks for each line `NUMBER REQUEST` of its input, and says what came as JSON.
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";

const port = Number(process.argv[2]);
// Each question has a connection of its own.
const agent = new Agent({ keepAlive: false });

const ask = (number, kind) =>
  new Promise((resolve) => {
    const headers = kind === "UPGRADE" ? { Connection: "Upgrade", Upgrade: "websocket" } : {};
    const method = kind === "HEAD" ? "HEAD" : "GET";
    let hasHead = false;
    const refused = (problem) => resolve({ refused: problem.code ?? problem.message });
    const asked = request({ host: "127.0.0.1", port, agent, method, path: `/${number}`, headers }, (response) => {
      hasHead = true;
      const pieces = [];
      response.on("data", (piece) => pieces.push(piece));
      response.on("error", refused);
      response.on("end", () =>
        resolve(
          response.complete
            ? { status: response.statusCode, content: Buffer.concat(pieces).toString("hex") }
            : { refused: "incomplete" },
        ),
      );
    });
    if (kind === "UPGRADE") {
      asked.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve({ status: response.statusCode, content: "" });
      });
    }
    asked.on("error", refused);
    // It says nothing else of a 101 that was not asked for.
    asked.on("close", () => hasHead || refused(new Error("closed without a response")));
    asked.end();
  });

for await (const line of createInterface({ input: process.stdin })) {
  const [number, kind] = line.split(" ");
  console.log(JSON.stringify(await ask(number, kind)));
}
