// A plain handler that returns all that it may, and what it may not.
import { serve } from "handoff-worker";

const responses = {
  "/pairs": {
    headers: [
      ["X-A", "1"],
      ["x-a", "2"],
    ],
    body: "pairs",
  },
  "/object": {
    status: 201,
    reason: "Made",
    headers: { "x-list": ["a", "b"], "x-number": 5 },
    body: new Uint8Array([0, 255]),
  },
  "/headers": { headers: new Headers({ "X-A": "1" }), body: new Uint8Array([104, 105]).buffer },
  "/map": { headers: new Map([["x-a", "1"]]) },
  "/latin": { headers: { "x-latin": "\u00e4\u00ff" }, body: "grüße" },
  "/null": { headers: null, body: null },
  "/splits-fields": { headers: { "x-a": "b\r\nx-injected: 1" } },
  "/splits-list": { headers: { "x-list": ["a", "b\nx-injected: 1"] } },
  "/past-latin": { headers: { "x-a": "5 €" } },
  "/delete": { headers: { "x-a": "\x7f" } },
  "/name": { headers: { "x a": "b" } },
  "/name-of-number": { headers: [["", 1]] },
  "/reason": { reason: "OK\r\nx-injected: 1" },
  "/status-199": { status: 199 },
  "/status-600": { status: 600 },
  "/status-599": { status: 599, reason: '\tq"\\\u00ff', headers: { "!#$%&'*+-.^_`|~9z": 'a\t"\\\u0080' } },
  "/status-text": { status: "200" },
  "/no-value": { headers: { "x-a": undefined } },
  "/body": { body: { a: 1 } },
  "/string": "hello",
  "/undefined": undefined,
  "/response": new Response("hello"),
};

serve((request) => {
  if (request.target === "/echo")
    return { headers: [["x-type", request.header("X-Type") ?? "none"]], body: request.body };
  const response = responses[request.target.split("?")[0]];
  return request.header("x-later") ? Promise.resolve(response) : response;
});
