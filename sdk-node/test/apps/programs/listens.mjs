// Listens at the places that its words name, in that order, and answers at each what it is: `app=3000`, `metrics=9090+300` after
// 300 ms, `tls=3000` by node:https. $PORT is the variable.
import http from "node:http";
import https from "node:https";

for (const word of process.argv.slice(2)) {
  const [name, where] = word.split("=");
  const [place, millis] = where.split("+");
  const { createServer } = name === "tls" ? https : http;
  const server = createServer({}, (request, response) => {
    response.end(`${name} ${request.socket.encrypted ? "by TLS" : "in the clear"}`);
  });
  const listen = () =>
    server.listen(place === "$PORT" ? process.env.PORT : place, () =>
      console.log(`${name} listens at ${JSON.stringify(server.address())}.`),
    );
  if (millis) setTimeout(listen, Number(millis));
  else listen();
}
