import assert from "node:assert/strict";
import { LazyRequest } from "../src/fetch/lazy-request.mjs";
import { RefusedRequest } from "../src/protocol/plain-request.mjs";
import { Input } from "./support/input.mjs";
import { requestOf } from "./support/wire.mjs";

/** What the core lets through, as its CharTables and its Authority say. */
const HOST_CHARACTERS = characters("-._~!$&'()*+;=%");
const TARGET_CHARACTERS = characters("-._~:/?[]@!$&'()*+,;=%");
const ADDRESS_CHARACTERS = new Set("0123456789abcdefABCDEF:.");
const METHODS = ["GET", "POST", "HEAD", "post", "Get", "TRACE", "track", "PATCH", "QUERY"];
const LONGEST_PORT = 5;

/**
 * For every Host and target that the core lets through, the URL of a Fetch request names the host and the path that the
 * core routed by, or the request is refused, which happens to no host that a URL can show. A real Request made of it says
 * the same of method, URL, fields and content.
 */
export function fuzz(data) {
  const input = new Input(data);
  const method = input.one(METHODS);
  const body = input.bytes(20);
  const host = hostOf(input);
  const target = `/${spelled(input, TARGET_CHARACTERS)}`;
  const lazy = new LazyRequest(requestOf({ method, target, headers: [["host", host]], body }));
  const url = urlOf(lazy, host);
  if (url === undefined) return;
  assertPlace(new URL(url), host, target);
  assert.equal(new URL(url).href, url, "a URL is written as new URL writes it");
  assertSame(lazy, method, body);
}

/** @param {LazyRequest} lazy @param {string} host */
function urlOf(lazy, host) {
  try {
    return lazy.url;
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    assert.equal(error.status, 400);
    const { name } = partsOf(host);
    const shown = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`).hostname : undefined;
    assert.notEqual(shown, inSmallLetters(name), "refused, though a URL shows it");
    return undefined;
  }
}

/** @param {URL} url @param {string} host @param {string} target */
function assertPlace(url, host, target) {
  const { name, port } = partsOf(host);
  assert.equal(url.protocol, "http:");
  assert.equal(url.hostname, inSmallLetters(name));
  assert.equal(Number(url.port || 80), Number(port || 80));
  assert.equal(url.username + url.password + url.hash, "");
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  assert.equal(url.pathname, withoutDots(path));
  const search = query < 0 || query === target.length - 1 ? "" : target.slice(query);
  assert.equal(url.search, search.replaceAll("'", "%27"));
}

/** @param {LazyRequest} lazy @param {string} method @param {Buffer} body */
function assertSame(lazy, method, body) {
  assert.equal(lazy.method, method);
  try {
    assert.equal(lazy.native.method, method, "no other method than the core routed by");
  } catch (error) {
    if (!(error instanceof RefusedRequest)) throw error;
    assert.equal(error.status, 501);
    assert.ok(["post", "Get", "TRACE", "track"].includes(method));
    return;
  }
  assert.equal(lazy.native.url, lazy.url);
  assert.deepEqual([...lazy.native.headers], [...lazy.headers]);
  assert.equal(lazy.native.body !== null, body.length > 0 && method !== "GET" && method !== "HEAD");
}

/** RFC 3986 section 5.2.4; a dot may be written as %2e. @param {string} path */
function withoutDots(path) {
  const segments = path.slice(1).split("/");
  const kept = [];
  for (const [i, segment] of segments.entries()) {
    const plain = segment.replaceAll("%2e", ".").replaceAll("%2E", ".");
    if (plain === "..") kept.pop();
    if (plain !== "." && plain !== "..") kept.push(segment);
    else if (i === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}`;
}

/** A name or an address, and perhaps a port. @param {Input} input */
function hostOf(input) {
  const name = input.choice(4) === 0 ? `[${spelled(input, ADDRESS_CHARACTERS)}]` : spelled(input, HOST_CHARACTERS);
  const encoded = name.replace(/%(?![0-9a-f]{2})/gi, "");
  const port = input.one(["", "", ":", ":80", ":0080", ":8080", `:${input.number(65_535)}`]);
  return (encoded || "a") + port;
}

/** @param {string} host */
function partsOf(host) {
  const [, name, port] = /** @type {RegExpExecArray} */ (/^(\[.*\]|[^:]*):?(\d*)$/.exec(host));
  assert.ok(port.length <= LONGEST_PORT);
  return { name, port };
}

/** Text of these characters alone. @param {Input} input @param {Set<string>} set */
function spelled(input, set) {
  return [...(input.text() + input.text())].filter((c) => set.has(c)).join("");
}

/** @param {string} text */
function inSmallLetters(text) {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** @param {string} others */
function characters(others) {
  return new Set(`0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ${others}`);
}
