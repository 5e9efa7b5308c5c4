import { RefusedRequest } from "../protocol/plain-request.mjs";

/** Targets that a URL shows as they are. */
const PLAIN_TARGET = /^\/[\w\-.~%!$&()*+,;=:@/?]*$/;
/** What a URL would resolve: a dot that begins a segment, also when it is written as %2e. */
const DOT_SEGMENT = /\/(\.|%2e)/i;
const OWN_SEGMENT = /^(\.|%2e)$/i;
const PARENT_SEGMENT = /^(\.|%2e){2}$/i;
const PORT = /^\d*$/;

/** Most requests are for the host of the request before. */
let lastHost = "";
let lastOrigin = "";

/**
 * The URL of a request, as `new URL` writes it. That of `OPTIONS *`, which is about the server and none of its paths, has none.
 *
 * @param {string} host the field's value
 * @param {string} target as the client wrote it
 */
export function urlOf(host, target) {
  if (host !== lastHost) {
    lastOrigin = originOf(host);
    lastHost = host;
  }
  // As `/*` it would pass for a path that routes know, and as `/` for another one.
  if (!target.startsWith("/")) throw new RefusedRequest(400, "bad_target", `The target ${target} cannot be in a URL.`);
  if (PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return lastOrigin + target;
  return new URL(lastOrigin + withoutDots(target)).href;
}

/**
 * The target with `.` and `..` resolved (RFC 3986 section 5.2.4), which may be written with %2e. `new URL` of Node 20.20 leaves them
 * in some paths, such as `/x/.a/..`: a handler that trusts it not to would be led out of its folder.
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
 * A URL decodes hosts, and reads many a name as an address or not at all, while the core takes a host for the text that it is.
 * Where both would not see the same host, a handler that looks at the URL would serve what the core's routes keep apart.
 *
 * @param {string} host
 */
function originOf(host) {
  const colon = host.indexOf(":", host.lastIndexOf("]") + 1);
  const name = colon < 0 ? host : host.slice(0, colon);
  const port = colon < 0 ? "" : host.slice(colon + 1);
  const url = URL.canParse(`http://${host}/`) ? new URL(`http://${host}/`) : undefined;
  if (url?.hostname !== name.toLowerCase() || !PORT.test(port)) {
    const why = url === undefined ? "cannot be in a URL" : `would be ${url.hostname} in a URL`;
    throw new RefusedRequest(400, "bad_host", `The host ${host} ${why}.`);
  }
  return url.origin;
}
