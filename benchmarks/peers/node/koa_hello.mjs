import Koa from "koa";

const app = new Koa();
app.use((context) => {
  context.type = "text/plain";
  context.body = "hello\n";
});
app.listen(Number(process.argv[2] ?? 0), "127.0.0.1");
