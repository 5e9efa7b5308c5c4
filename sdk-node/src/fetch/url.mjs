/** Hosts and targets that a URL shows as they are. */
const PLAIN_HOST = /^[a-z0-9.-]*[a-z-][a-z0-9.-]*(:[1-9]\d{0,4})?$/;
const PLAIN_TARGET = /^\/[\w\-.~%!$&()*+,;=:@/?]*$/;
/** What a URL would resolve: a dot that begins a segment, also when it is written as %2e. */
const DOT_SEGMENT = /\/(\.|%2e)/i;

/**
 * The URL of a request, as `new URL` writes it.
 *
 * @param {string} host the field's value
 * @param {string} target as the client wrote it
 */
export function urlOf(host, target) {
  const path = target.startsWith("/") ? target : `/${target}`; // the asterisk of OPTIONS
  const url = `http://${host}${path}`;
  if (PLAIN_HOST.test(host) && !host.endsWith(":80") && PLAIN_TARGET.test(path) && !DOT_SEGMENT.test(path)) return url;
  return new URL(url).href;
}
