import assert from "node:assert/strict";
import { test } from "node:test";
import { LazyRequest } from "../src/fetch/lazy-request.mjs";
import { ClientSocket } from "../src/node/client-socket.mjs";
import { BrokenFrame } from "../src/protocol/frame-reader.mjs";
import { PlainRequest } from "../src/protocol/plain-request.mjs";
import { parseHead, readHead } from "../src/protocol/request-json.mjs";
import { app } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

/** What the application says of requests below a prefix, or of the scheme. */
async function seen(context, words, requests) {
  const core = new TestCore(context);
  core.startUnchanged(context, app("mounted.mjs"), { words });
  await core.welcome();
  const answers = [];
  for (const [target, more] of requests) {
    core.request(answers.length + 1, target, more);
    const { type, body } = await core.next();
    assert.equal(type, "response");
    answers.push(JSON.parse(body.toString()));
  }
  return answers;
}

test("node:http has the URL behind the prefix, and a socket that is encrypted for https", async (context) => {
  const prefix = "/app";
  assert.deepEqual(
    await seen(
      context,
      [],
      [
        ["/x?y", {}],
        ["/app/x?y", { prefix, scheme: "https" }],
        ["/app?y", { prefix, scheme: "http" }],
        ["/app", { prefix }],
        ["/%61pp/x", { prefix: "/%61pp" }],
      ],
    ),
    [
      { url: "/x?y" },
      { url: "/x?y", baseUrl: "/app", originalUrl: "/app/x?y", encrypted: true },
      { url: "/?y", baseUrl: "/app", originalUrl: "/app?y" },
      { url: "/", baseUrl: "/app", originalUrl: "/app" },
      { url: "/x", baseUrl: "/%61pp", originalUrl: "/%61pp/x" },
    ],
  );
});

test("Express routes behind the prefix, and knows what it is mounted at", async (context) => {
  const request = ["/app/x?y", { prefix: "/app", scheme: "https" }];
  assert.deepEqual(await seen(context, ["express"], [request]), [
    { url: "/x?y", baseUrl: "/app", originalUrl: "/app/x?y", protocol: "https", secure: true },
  ]);
});

const OWNER = { destroyed() {}, idle() {} };
const HEAD = { type: "request", id: 1, timeoutMillis: 1, method: "GET", target: "/app/x", version: "1.1" };
const REST = { headers: [["host", "example.org:443"]], client: "192.0.2.1:1" };

function plain(more) {
  return new PlainRequest(readHead(JSON.stringify({ ...HEAD, ...REST, ...more })), Buffer.alloc(0));
}

test("plain and Fetch handlers see both, however the head is written", () => {
  for (const request of [plain({ scheme: "https", prefix: "/app" }), other({ scheme: "https", prefix: "/app" })]) {
    assert.deepEqual([request.scheme, request.prefix, request.target], ["https", "/app", "/app/x"]);
    assert.equal(new LazyRequest(request).url, "https://example.org/app/x");
  }
  for (const request of [plain({}), plain({ scheme: null, prefix: null }), other({})]) {
    assert.deepEqual([request.scheme, request.prefix], ["http", ""]);
    assert.equal(new LazyRequest(request).url, "http://example.org:443/app/x");
  }
});

/** With the keys in another order. */
function other(more) {
  return new PlainRequest(parseHead({ ...more, ...REST, ...HEAD }), Buffer.alloc(0));
}

/** DER in base64. It is nobody's: its key was thrown away. */
const CERTIFICATE =
  "MIIBnTCCAUOgAwIBAgIUVhf4gU7vJ48Ae95VWXehJpxJofswCgYIKoZIzj0EAwIwJDEQMA4GA1UECgwHRXhhbXBsZTEQMA4GA1UEAwwHYmlsbG" +
  "luZzAeFw0yNjExMjYxOTIyMTBaFw0yNjEyMDUxOTIyMTBaMCQxEDAOBgNVBAoMB0V4YW1wbGUxEDAOBgNVBAMMB2JpbGxpbmcwWTATBgcqhkjO" +
  "PQIBBggqhkjOPQMBBwNCAAQpL6Ayl4MN5HGf32ZQ4vEp5kUxM0JyETY4B/YZe56IsPwQDNtyiH5q0Uvw4svlcRXa/JMoiIltgHcUjWcpzttvo1" +
  "MwUTAdBgNVHQ4EFgQUbXVL28MCr3yK4RjxO915VE1/wyAwHwYDVR0jBBgwFoAUbXVL28MCr3yK4RjxO915VE1/wyAwDwYDVR0TAQH/BAUwAwEB" +
  "/zAKBggqhkjOPQQDAgNIADBFAiBeNYSfcimxKggPl/CJ47Bf35Lqdq2TVfiPNACPvOBtjgIhAJfTAFLeOp6ADVNI0g58O1VECxz+k8JgNMIFZB" +
  "+8fsvl";

test("a client has the certificate that it has shown, in plain handlers and in sockets of node:http", () => {
  for (const request of [
    plain({ scheme: "https", clientCertificate: CERTIFICATE }),
    other({ clientCertificate: CERTIFICATE }),
  ]) {
    assert.equal(request.clientCertificate.subject, "O=Example\nCN=billing");
  }
  assert.equal(plain({}).clientCertificate, undefined);

  const shown = new ClientSocket(plain({ scheme: "https", clientCertificate: CERTIFICATE }), undefined, OWNER);
  assert.equal(shown.authorized, true);
  assert.deepEqual({ ...shown.getPeerCertificate().subject }, { O: "Example", CN: "billing" });
  const without = new ClientSocket(plain({ scheme: "https" }), undefined, OWNER);
  assert.deepEqual([without.authorized, without.getPeerCertificate()], [false, {}]);
  assert.equal(new ClientSocket(plain({}), undefined, OWNER).authorized, undefined);
});

test("refuses a scheme, a prefix or a certificate that is no string", () => {
  for (const more of [{ scheme: 1 }, { prefix: ["/app"] }, { clientCertificate: [] }]) {
    assert.throws(() => plain(more).client, BrokenFrame);
  }
});
