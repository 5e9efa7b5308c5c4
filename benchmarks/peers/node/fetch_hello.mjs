export default { fetch: () => new Response("hello\n", { headers: { "content-type": "text/plain" } }) };
