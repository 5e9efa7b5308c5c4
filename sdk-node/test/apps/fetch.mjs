// A Fetch handler whose path says what to do. Its word: native, for Node's own classes.
import { serve } from "handoff-worker";

/** The type of a request, as the headers of something else. @param {Request} request */
const typeOf = (request) => ({ "content-type": request.headers.get("content-type") });

const routes = {
  "/": () => new Response("hello"),
  "/request": async (request, { client }) => {
    const { method, url, headers, bodyUsed } = request;
    const text = await request.text();
    return Response.json({
      method,
      url,
      headers: [...headers],
      bodyUsed,
      used: request.bodyUsed,
      text,
      client: typeof client,
    });
  },
  "/twice": async (request) => {
    await request.text();
    return new Response(await request.text().catch((error) => error.name));
  },
  "/clone": async (request) => new Response((await request.clone().text()) + (await request.text())),
  "/json": async (request) => Response.json(await request.json(), { status: 201, statusText: "Made" }),
  "/bytes": async (request) => new Response(new Uint8Array(await request.arrayBuffer()).reverse()),
  "/memory": async (request) => new Response((await request.bytes()).buffer),
  "/memory-of-all": async (request) => new Response(await request.arrayBuffer()),
  "/memory-of-pieces": async (request) => {
    const all = [];
    for await (const { buffer } of request.body) all.push(...new Uint8Array(buffer));
    return new Response(Uint8Array.from(all));
  },
  "/form": async (request) => Response.json([...(await request.formData())]),
  "/form-twice": async (request) => Response.json([await request.formData(), await request.formData()]),
  "/cloned-form": async (request) => Response.json([...(await request.clone().clone().formData())]),
  "/copied-form": async (request) => Response.json([...(await new Request(request).formData())]),
  "/rebuilt-form": async (request) => {
    const { url, method, headers } = request;
    const rebuilt = new Request(url, { method, headers, body: await request.arrayBuffer() });
    return Response.json([...(await rebuilt.clone().formData())]);
  },
  "/response-form": async (request) => {
    const response = new Response(await request.arrayBuffer(), { headers: typeOf(request) });
    return Response.json([...(await response.formData())]);
  },
  "/text-form": async (request) => {
    const response = new Response(await request.text(), { headers: typeOf(request) });
    return Response.json([...(await response.clone().formData())]);
  },
  "/half": () => new Response("a\ud800b"),
  "/long-half": () => new Response(`\udc00${"a".repeat(200_000)}`),
  "/half-json": () => Response.json("\ud800"),
  "/half-header": () => new Response("", { headers: { "x-a": "\ud800" } }),
  "/instances": (request) =>
    Response.json([
      request instanceof Request,
      new Request(request).url === request.url,
      new Request("http://other/", request).method,
      new Response("") instanceof Response,
      Response.error() instanceof Response,
      request.signal instanceof AbortSignal,
      request.headers instanceof Headers,
      request.cache,
    ]),
  "/response": async () => {
    const response = new Response("body", { headers: { "X-A": "1" } });
    const { status, ok, type, redirected, statusText, url } = response;
    const copy = response.clone();
    copy.headers.append("x-a", "2");
    return Response.json([
      status,
      ok,
      type,
      redirected,
      statusText,
      url,
      [...copy.headers],
      await response.text(),
      response.bodyUsed,
    ]);
  },
  "/cookies": () => {
    const headers = new Headers({ "content-type": "text/html" });
    headers.append("set-cookie", "a=1");
    headers.append("set-cookie", "b=2");
    return new Response("cookies", { headers });
  },
  "/changed": () => {
    const response = new Response("changed");
    response.headers.set("x-after", "1");
    return response;
  },
  "/stream": () => new Response(ReadableStream.from(["a", "b"].map((text) => new TextEncoder().encode(text)))),
  "/blob": () => new Response(new Blob(["blob"], { type: "text/blob" })),
  "/204": () => new Response(null, { status: 204 }),
  "/control": () => new Response("", { headers: { "x-a": "\x01" } }),
  "/network-error": () => Response.error(),
  "/redirect": () => Response.redirect("http://example.org/there", 303),
  "/errors": () =>
    Response.json(
      [
        () => new Response("", { status: 99 }),
        () => new Response("x", { status: 204 }),
        () => new Response("", { headers: { "a b": "c" } }),
        () => new Response("", { headers: { a: "b\r\nc: d" } }),
        () => Response.json(undefined),
      ].map((make) => {
        try {
          return make().status;
        } catch (error) {
          return error.name;
        }
      }),
    ),
  "/throws": () => {
    throw new Error("thrown");
  },
  "/rejects": async () => {
    throw new Error("rejected");
  },
  "/wrong": () => ({ status: 200 }),
  "/nothing": () => {},
  "/aborted": (request) =>
    new Promise((resolve) => {
      console.log("waiting");
      request.signal.addEventListener("abort", () => {
        console.log(`aborted: ${request.signal.reason.name}`);
        resolve(new Response());
      });
    }),
};

serve(
  {
    fetch: (request, plain) =>
      routes[new URL(request.url).pathname]?.(request, plain) ?? new Response("", { status: 404 }),
  },
  { lightweight: process.argv[2] !== "native" },
);
