// Tells what an application sees of the prefix and the scheme of its request: with node:http, or with Express.
import http from "node:http";
import express from "express";

const app = express();
app.get("/x", (req, res) => {
  const { url, baseUrl, originalUrl, protocol, secure } = req;
  res.json({ url, baseUrl, originalUrl, protocol, secure });
});

function plain(req, res) {
  const { url, baseUrl, originalUrl } = req;
  res.end(JSON.stringify({ url, baseUrl, originalUrl, encrypted: req.socket.encrypted }));
}

http.createServer(process.argv[2] === "express" ? app : plain).listen(0);
