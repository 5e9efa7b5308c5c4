// Has processes of its own, of which each serves: by node:cluster, which starts another for each that ends, or by fork().
import { fork } from "node:child_process";
import cluster from "node:cluster";
import http from "node:http";

const [how, port] = process.argv.slice(2);

if (how === "cluster" && cluster.isPrimary) {
  for (let i = 0; i < 3; i++) cluster.fork();
  http.createServer((_request, response) => response.end("metrics")).listen(0);
  cluster.on("listening", (_worker, { port }) => console.log(`primary sees port ${port}.`));
  cluster.on("exit", () => {
    console.log("primary lost one.");
    cluster.fork();
  });
} else if (how === "fork") {
  fork(process.argv[1], ["child", port]);
  http.createServer((_request, response) => response.end("metrics")).listen(0);
} else {
  http.createServer((_request, response) => response.end(`${how} ${process.pid}`)).listen(port);
}
