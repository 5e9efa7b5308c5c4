export default { fetch: (request) => new Response(`fetched ${new URL(request.url).pathname}`) };
