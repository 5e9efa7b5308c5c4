export async function POST() {
  globalThis.go();
  return new Response("gone");
}
