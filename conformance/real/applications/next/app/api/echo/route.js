export async function GET(request) {
  const { pathname, searchParams } = new URL(request.url);
  return Response.json({ pathname, query: Object.fromEntries(searchParams), cookie: request.headers.get("cookie") });
}

export async function POST(request) {
  return new Response(await request.arrayBuffer(), { status: 201, headers: { "content-type": "text/plain" } });
}
