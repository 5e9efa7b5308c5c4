import assert from "node:assert/strict";
import { test } from "node:test";
import { app, ask, serving } from "./support/serving.mjs";
import { TestCore } from "./support/test-core.mjs";

const FORM = { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "a=1&a=2" };
const FORMS = ["/form", "/cloned-form"];
/** Where the handler makes a Request or Response of the content, and reads that. */
const COPIED_FORMS = ["/copied-form", "/rebuilt-form", "/response-form", "/text-form"];
/** A request as the core sends it. */
const POST = {
  ...{ type: "request", timeoutMillis: 30_000, method: "POST", version: "1.1" },
  ...{ headers: [["host", "localhost"]], client: "127.0.0.1:1234" },
};
const CASES = [
  ..."/ /instances /response /cookies /changed /stream /blob /204 /redirect /errors /nowhere".split(" "),
  "/request?a=%20b&c=d",
  "/request/../request",
  { path: "/", method: "HEAD" },
  { path: "/request", headers: { host: "EXAMPLE.org:80" } },
  { path: "/request", headers: { "x-a": ["1", "2"], cookie: "a=1", "x-latin": "\u00e4" } },
  { path: "/request", method: "PUT", body: "\ufeffgrüße" },
  { path: "/twice", method: "POST", body: "once" },
  { path: "/clone", method: "POST", body: "cloned" },
  { path: "/json", method: "POST", body: '{"a":"ü"}' },
  { path: "/bytes", method: "POST", body: Buffer.from([0, 1, 255]) },
  { path: "/form", ...FORM },
];

test("answers with light classes as with Node's own", async (context) => {
  const [light, native] = await Promise.all([
    serving(context, [app("fetch.mjs")]),
    serving(context, [app("fetch.mjs"), "--", "native"]),
  ]);
  for (const each of CASES) {
    const request = typeof each === "string" ? { path: each } : each;
    await context.test(`${request.method ?? "GET"} ${request.path}`, async () => {
      const headers = { host: "example.org", ...request.headers };
      const [response, expected] = await Promise.all(
        [light, native].map(({ port }) => ask(port, { ...request, headers })),
      );
      assert.deepEqual(withoutDate(response), withoutDate(expected));
      assert.notEqual(response.status, 500);
    });
  }
});

for (const [words, targets] of [
  [[], ["/memory", "/memory-of-all", "/memory-of-pieces"]],
  [["native"], ["/memory-of-all", "/memory-of-pieces"]], // Node 20 has no bytes()
]) {
  test(`gives the bytes of a body in memory that holds nothing else ${words}`, async (context) => {
    const core = new TestCore(context);
    core.start(context, app("fetch.mjs"), { words });
    await core.welcome();
    let id = 0;
    for (const target of targets) {
      core.send({ ...POST, id: ++id, target }, "abc");
      assert.equal((await core.next()).body, "abc", target);
      core.send({ ...POST, id: ++id, target, more: true }, "abc");
      core.send({ type: "data", id, more: true }, "de");
      core.send({ type: "data", id }, "f");
      assert.equal((await core.next()).body, "abcdef", `${target} in pieces`);
    }
  });
}

test("refuses what a Fetch request would show as something else than the core routed by", async (context) => {
  const both = await Promise.all([
    serving(context, [app("fetch.mjs")]),
    serving(context, [app("fetch.mjs"), "--", "native"]),
  ]);
  for (const { port, process } of both) {
    for (const [host, complaint] of [
      ["1.2.3.4.5", "The host 1.2.3.4.5 cannot be in a URL.\n"],
      // From Node 26 on a URL takes it as it is, and so may the handler.
      ...(URL.canParse("http://xn--a/") ? [] : [["xn--a", "The host xn--a cannot be in a URL.\n"]]),
      ["0x7f.1", "The host 0x7f.1 would be 127.0.0.1 in a URL.\n"],
      ["admin%2eexample.org", "The host admin%2eexample.org would be admin.example.org in a URL.\n"],
      ["[0:0:0:0:0:0:0:1]", "The host [0:0:0:0:0:0:0:1] would be [::1] in a URL.\n"],
    ]) {
      const { status, headers, text } = await ask(port, { path: "/request", headers: { host } });
      assert.deepEqual([status, headers["handoff-error"], text], [400, "bad_host", complaint]);
    }
    for (const path of ["*", "http://example.org"]) {
      const headers = { host: "example.org" };
      const refused = await ask(port, { path, method: "OPTIONS", headers });
      const complaint = "The target * cannot be in a URL.\n";
      assert.deepEqual(
        [refused.status, refused.headers["handoff-error"], refused.text],
        [400, "bad_target", complaint],
      );
      assert.equal((await ask(port, { path: "/*", method: "OPTIONS", headers })).status, 404, "another target");
    }
    assert.doesNotMatch(process.output, /failed/, "a client's fault is not the handler's");
  }
  const native = both[1].port;
  const { status, headers } = await ask(native, { path: "/request", method: "TRACE" });
  assert.deepEqual([status, headers["handoff-error"]], [501, "unsupported_method"]);
});

test("refuses a form with more than 1,000 fields, before it makes any of them", async (context) => {
  const boundary = "-".repeat(30);
  const part = `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n`;
  const multipart = (parts) => `${part.repeat(parts)}--${boundary}--\r\n`;
  const urlencoded = (fields) => `${"a&".repeat(fields - 1)}a`;
  for (const words of [[], ["--", "native"]]) {
    const { port, process } = await serving(context, [app("fetch.mjs"), ...words]);
    for (const path of [...FORMS, ...(words.length === 0 ? COPIED_FORMS : [])]) {
      for (const [type, make, many] of [
        ["application/x-www-form-urlencoded", urlencoded, 500_000],
        [`multipart/form-data; boundary=${boundary}`, multipart, 80_000],
        [`Multipart/Form-Data; a="boundary=b"; Boundary="${boundary}"`, multipart, 1001],
      ]) {
        const headers = { "content-type": type };
        const most = await ask(port, { method: "POST", path, headers, body: make(1000) });
        assert.equal(JSON.parse(most.text).length, 1000);
        for (const fields of [1001, many]) {
          const refused = await ask(port, { method: "POST", path, headers, body: make(fields) });
          assert.deepEqual(
            [refused.status, refused.headers["handoff-error"], refused.text],
            [400, "bad_form", "the body is not a form: it has more than 1000 fields\n"],
          );
        }
      }
    }
    assert.doesNotMatch(process.output, /failed/, "a client's fault is not the handler's");
  }
});

const FORM_HEADERS = { "content-type": "application/x-www-form-urlencoded" };

test("refuses what is no form, and does not search it for one boundary after the other", async (context) => {
  const many = Array.from({ length: 5 }, (_, i) => `boundary=b${i}`).join("; ");
  for (const words of [[], ["--", "native"]]) {
    const { port, process } = await serving(context, [app("fetch.mjs"), ...words]);
    for (const path of FORMS) {
      for (const [type, body, told] of [
        ["multipart/form-data; boundary=b", "--c\r\n", /^the body is not a form: .*FormData/],
        ["multipart/form-data", "--b\r\n", /^the body is not a form: .*FormData/],
        ["application/json", "{}", /^the body is not a form: Content-Type was not one of/],
        // Where nearly a boundary stands again and again, the longer one took 12 s for 330 KB.
        [`multipart/form-data; boundary=${"-".repeat(71)}`, "--b\r\n", /boundary of more than 70 characters/],
        [`multipart/form-data; boundary="b${".".repeat(30_000)}"`, "--b\r\n", /boundary of more than 70 characters/],
        [`multipart/form-data; boundary="b\\"${"b".repeat(70)}"`, "--b\r\n", /boundary of more than 70 characters/],
        [`multipart/form-data; ${many}`, "--b\r\n", /^the body is not a form: it has more than 4 boundaries\n/],
      ]) {
        const headers = { "content-type": type };
        const refused = await ask(port, { method: "POST", path, headers, body });
        assert.deepEqual([refused.status, refused.headers["handoff-error"]], [400, "bad_form"], type);
        assert.match(refused.text, told);
      }
    }
    const twice = await ask(port, { method: "POST", path: "/form-twice", headers: FORM_HEADERS, body: "a=b" });
    assert.equal(twice.status, 500);
    await process.told(/Body is unusable/); // the handler's fault is told
    for (const path of COPIED_FORMS) {
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const malformed = await ask(port, { method: "POST", path, headers, body: "--c\r\n" });
      assert.equal(malformed.status, 500, "what the handler has made may be its own fault");
    }
  }
});

test("refuses a form with large fields or heads of parts, which Node would read for seconds", async (context) => {
  const boundary = "b".repeat(20);
  const multipart = (head, content) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n--${boundary}--\r\n`;
  const head = (bytes) => `content-disposition: form-data; name="a"\r\nx: ${"x".repeat(bytes)}`;
  const part = `--${boundary}\r\n${head(1000)}\r\n\r\n1\r\n`;
  const parts = (count) => `${part.repeat(count)}--${boundary}--\r\n`;
  const { port } = await serving(context, [app("fetch.mjs")]);
  for (const [type, fine, large, told] of [
    [
      "application/x-www-form-urlencoded",
      "+".repeat(2 ** 20),
      "+".repeat(2 ** 20 + 1),
      "it has more than 1048576 bytes",
    ],
    [
      `multipart/form-data; boundary=${boundary}`,
      multipart(head(8000), "c".repeat(2 ** 21)),
      multipart(head(9000), "c".repeat(100)),
      "it has a part whose head has more than 8192 bytes",
    ],
    [
      `multipart/form-data; boundary=${boundary}`,
      parts(490),
      parts(520),
      "the heads of its parts have more than 524288 bytes",
    ],
  ]) {
    const headers = { "content-type": type };
    const taken = await ask(port, { method: "POST", path: "/form", headers, body: fine });
    assert.ok(JSON.parse(taken.text).length > 0);
    const refused = await ask(port, { method: "POST", path: "/form", headers, body: large });
    assert.deepEqual(
      [refused.status, refused.headers["handoff-error"], refused.text],
      [400, "bad_form", `the body is not a form: ${told}\n`],
    );
  }
});

for (const words of [[], ["--", "native"]]) {
  test(`sends half a surrogate pair as U+FFFD, and in a header not at all ${words}`, async (context) => {
    const { port } = await serving(context, [app("fetch.mjs"), ...words]);
    for (const [path, text] of [
      ["/half", "a\ufffdb"],
      ["/long-half", `\ufffd${"a".repeat(200_000)}`],
      ["/half-json", '"\\ud800"'],
    ]) {
      const response = await ask(port, { path });
      assert.deepEqual([response.status, response.text], [200, text], path);
    }
    assert.equal((await ask(port, { path: "/half-header" })).status, 500);
  });
}

test("shows a host in small letters and without the port of its scheme", async (context) => {
  const { port } = await serving(context, [app("fetch.mjs")]);
  for (const [host, shown] of [
    ["WWW.Example", "www.example"],
    ["example.org:", "example.org"],
    ["example.org:080", "example.org"],
    ["example.org.:8080", "example.org.:8080"],
    ["[::A]:80", "[::a]"],
    ["a-._~!$&'()*+;=x", "a-._~!$&'()*+;=x"],
  ]) {
    const { text } = await ask(port, { path: "/request?a", headers: { host } });
    assert.equal(JSON.parse(text).url, `http://${shown}/request?a`);
  }
});

test("tells a Fetch handler what it did wrong", async (context) => {
  const { port, process } = await serving(context, [app("fetch.mjs")]);
  for (const [path, complaint] of [
    ["/throws", /GET \/throws failed: Error: thrown\n/],
    ["/rejects", /GET \/rejects failed: Error: rejected\n/],
    ["/wrong", /the handler returned object, not a Response; for \{ status, headers, body \} use serve\(handler\)/],
    ["/json", /GET \/json failed: SyntaxError/],
    ["/control", /GET \/control failed: .*the header x-a holds U\+0001, and may hold only/],
    ["/network-error", /GET \/network-error failed: .*the status 0 is not one that a response may have/],
  ]) {
    const { status, headers } = await ask(port, { path });
    assert.deepEqual([status, headers["handoff-error"]], [500, "handler_failed"], path);
    await process.told(complaint);
  }
});

test("aborts the signal of a request whose client has left", async (context) => {
  const { port, process } = await serving(context, [app("fetch.mjs")]);
  const client = new AbortController();
  const response = ask(port, { path: "/aborted", signal: client.signal });
  await process.told(/waiting/);
  client.abort();
  await assert.rejects(response);
  await process.told(/aborted: AbortError/);
});

test("aborts the signal of a request whose time is up", async (context) => {
  const { port, process } = await serving(context, [app("fetch.mjs")], { options: ["--request-timeout", "3s"] });
  await process.told(/is connected/); // so that the time is not up before there is a worker
  assert.equal((await ask(port, { path: "/aborted" })).status, 504);
  await process.told(/aborted: TimeoutError/);
});

function withoutDate({ status, reason, rawHeaders, text }) {
  const fields = rawHeaders.map((word, i) => (rawHeaders[i - 1]?.toLowerCase() === "date" ? "" : word));
  return { status, reason, fields, text };
}
