import { RefusedRequest } from "../protocol/plain-request.mjs";

/** Targets that a URL leaves unchanged. */
const PLAIN_TARGET = /^\/[\w\-.~%!$&()*+,;=:@/?]*$/;
/** A segment that a URL may resolve: it begins with a dot, perhaps written as %2e. */
const DOT_SEGMENT = /\/(\.|%2e)/i;
const OWN_SEGMENT = /^(\.|%2e)$/i;
const PARENT_SEGMENT = /^(\.|%2e){2}$/i;
const PORT = /^\d*$/;

/** Most requests are for the host of the request before. */
let lastHost = "";
let lastScheme = "";
let lastOrigin = "";

/**
 * The URL of a request, as `new URL` writes it. Throws RefusedRequest for `OPTIONS *`, which is about the server and has no path, and
 * for a host that a URL would change.
 *
 * @param {string} host the field's value
 * @param {string} target as the client wrote it
 * @param {string} scheme `http` or `https`
 */
export function urlOf(host, target, scheme) {
  if (host !== lastHost || scheme !== lastScheme) {
    lastOrigin = originOf(host, scheme);
    lastHost = host;
    lastScheme = scheme;
  }
  // `/*` and `/` would be paths, which the core may route elsewhere.
  if (!target.startsWith("/")) throw new RefusedRequest(400, "bad_target", `The target ${target} cannot be in a URL.`);
  if (PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return lastOrigin + target;
  return new URL(lastOrigin + withoutDots(target)).href;
}

/**
 * The target with `.` and `..` resolved (RFC 3986 section 5.2.4), also where they are written with %2e. `new URL` of Node 20.20
 * leaves them in some paths, such as `/x/.a/..`, and could lead a handler out of its folder.
 *
 * @param {string} target
 */
function withoutDots(target) {
  const query = target.indexOf("?");
  const path = query < 0 ? target : target.slice(0, query);
  /** @type {string[]} */
  const kept = [];
  const segments = path.slice(1).split("/");
  for (const [i, segment] of segments.entries()) {
    const isParent = PARENT_SEGMENT.test(segment);
    if (isParent) kept.pop();
    if (!isParent && !OWN_SEGMENT.test(segment)) kept.push(segment);
    else if (i === segments.length - 1) kept.push("");
  }
  return `/${kept.join("/")}${query < 0 ? "" : target.slice(query)}`;
}

/**
 * The origin of a host. A URL decodes hosts, and reads some names as addresses or not at all, while the core compares their text.
 * Where the two differ, a handler that looks at the URL would serve what the core's routes keep apart. So such hosts are refused.
 *
 * @param {string} host
 * @param {string} scheme
 */
function originOf(host, scheme) {
  const colon = host.indexOf(":", host.lastIndexOf("]") + 1);
  const name = colon < 0 ? host : host.slice(0, colon);
  const port = colon < 0 ? "" : host.slice(colon + 1);
  const url = URL.canParse(`${scheme}://${host}/`) ? new URL(`${scheme}://${host}/`) : undefined;
  if (url?.hostname !== name.toLowerCase() || !PORT.test(port)) {
    const why = url === undefined ? "cannot be in a URL" : `would be ${url.hostname} in a URL`;
    throw new RefusedRequest(400, "bad_host", `The host ${host} ${why}.`);
  }
  return url.origin;
}
