import { Readable } from "node:stream";
import Koa from "koa";

const app = new Koa();
app.silent = true;
app.use(async (context) => {
  switch (context.path) {
    case "/json":
      context.body = { ip: context.ip, host: context.host, protocol: context.protocol, query: context.query };
      break;
    case "/stream":
      context.body = Readable.from(["a", "b", "c"]);
      break;
    case "/empty":
      context.body = null;
      break;
    case "/cookies":
      context.cookies.set("a", "1");
      context.body = context.cookies.get("sent") ?? "none";
      break;
    case "/throws":
      context.throw(418, "thrown");
      break;
    case "/":
      context.body = "Hello Koa";
  }
});
const server = app.listen(0, "127.0.0.1", () => console.log(`listening on ${server.address().port}.`));
