// Tells what it sees of a request's socket, and sets its timeouts.
import http from "node:http";

const server = http.createServer((request, response) => {
  const { socket } = request;
  switch (request.url) {
    case "/response":
      return response.setTimeout(20, () => response.end("too late"));
    case "/request":
      return request.setTimeout(20);
    case "/answered":
      response.setTimeout(20, () => console.log("timed out"));
      return response.end("in time");
    default: {
      const { localAddress, localPort } = socket;
      response.end(JSON.stringify([socket.server === server, localAddress, localPort, socket.address().port]));
    }
  }
});
server.listen(process.env.PORT);
