import { once } from "node:events";
import http from "node:http";
import { chromium } from "playwright-core";

const OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/**
 * A page of Chromium, whose origin is a server of its own, so that every request from it to a backend is a cross-origin one.
 *
 * @param {{ after: (stop: () => Promise<void>) => void }} context
 */
export async function pageOfAnotherOrigin(context) {
  const server = http.createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>another origin</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: OPTIONS });
  context.after(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  return page;
}

/**
 * What a script of the page gets for a request: rejected where the browser does not let it see the answer.
 *
 * @param {import("playwright-core").Page} page
 */
export function requestsOf(page) {
  const send = (method, url, content) =>
    page.evaluate(
      async (request) => {
        const headers = request.content === undefined ? {} : { "content-type": "application/json" };
        const body = request.content === undefined ? undefined : JSON.stringify(request.content);
        const response = await fetch(request.url, { method: request.method, headers, body });
        const text = await response.text();
        if (!response.ok) throw new Error(`${request.method} ${request.url}: ${response.status} ${text}`);
        return text === "" ? undefined : JSON.parse(text);
      },
      { method, url, content },
    );
  return {
    get: (url) => send("GET", url),
    post: (url, content) => send("POST", url, content),
    patch: (url, content) => send("PATCH", url, content),
    delete: (url) => send("DELETE", url),
  };
}
