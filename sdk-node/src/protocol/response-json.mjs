/** The JSON of responses, of their pieces, of failures, and of credit. */

/** A response that HTTP forbids and the core would refuse. The message names the part that is wrong. */
export class ForbiddenResponse extends Error {}

const FIRST_STATUS = 200;
const LAST_STATUS = 599;
/** The core takes no more, since each takes a hundred bytes of memory besides its text. */
const MOST_HEADERS = 1000;
/** A token (RFC 9110 section 5.6.2). JSON needs no escape for any of these characters. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The characters of a header's value that JSON needs no escape for. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** The characters that no value may hold (RFC 9110 section 5.5). */
const FORBIDDEN = /[^\t -~\x80-\xff]/u;

/** @param {string} name */
function quoteName(name) {
  if (!TOKEN.test(name)) refuseName(name);
  return `"${name}"`;
}

/**
 * The value of a header, or a reason phrase, which holds the same characters (RFC 9112 section 4). For most texts one test tells
 * that they are allowed and need no escapes.
 *
 * @param {string} text
 * @param {string} [name] of the field
 */
function quoteValue(text, name) {
  return PLAIN.test(text) ? `"${text}"` : escaped(text, name);
}

/** @param {string} text @param {string} [name] */
function escaped(text, name) {
  const forbidden = FORBIDDEN.exec(text)?.[0];
  if (forbidden === undefined) return JSON.stringify(text);
  const place = name === undefined ? "the reason" : `the header ${name}`;
  const unit = /** @type {number} */ (forbidden.codePointAt(0)).toString(16).toUpperCase().padStart(4, "0");
  throw new ForbiddenResponse(
    `${place} holds U+${unit}, and may hold only tabs, blanks and visible characters up to U+00FF: encode the rest`,
  );
}

/** @param {string} name */
function refuseName(name) {
  throw new ForbiddenResponse(
    `the header name ${JSON.stringify(name)} is not a token: letters, digits and !#$%&'*+-.^_\`|~ only`,
  );
}

/**
 * The JSON of a response. Throws ForbiddenResponse.
 *
 * @param {number} id
 * @param {number} status 200 to 599
 * @param {string | undefined} reason undefined for the usual phrase
 * @param {string} headers as a HeaderList makes it
 * @param {boolean} [more] whether pieces follow
 */
export function responseJson(id, status, reason, headers, more = false) {
  if (!(Number.isInteger(status) && status >= FIRST_STATUS && status <= LAST_STATUS)) {
    throw new ForbiddenResponse(
      `the status ${status} is not one that a response may have, from ${FIRST_STATUS} to ${LAST_STATUS}`,
    );
  }
  const phrase = reason === undefined ? "" : `,"reason":${quoteValue(reason)}`;
  const fields = headers === "[]" ? "" : `,"headers":${headers}`;
  const follows = more ? ',"more":true' : "";
  return `{"type":"response","id":${id},"status":${status}${phrase}${fields}${follows}}`;
}

/** The JSON of a piece. @param {number} id @param {boolean} more whether others follow */
export function dataJson(id, more) {
  return more ? `{"type":"data","id":${id},"more":true}` : `{"type":"data","id":${id}}`;
}

/** The JSON of credit for pieces of a request. @param {number} id @param {number} bytes */
export function creditJson(id, bytes) {
  return `{"type":"credit","id":${id},"bytes":${bytes}}`;
}

/** The JSON of the 101 that accepts a WebSocket. @param {number} id @param {string} headers as a HeaderList makes it */
export function switchJson(id, headers) {
  const fields = headers === "[]" ? "" : `,"headers":${headers}`;
  return `{"type":"response","id":${id},"status":101${fields},"more":true}`;
}

/** The JSON of a message of a WebSocket. @param {number} id @param {boolean} text @param {boolean} [more] whether more of it follows */
export function messageJson(id, text, more = false) {
  return `{"type":"message","id":${id}${text ? ',"text":true' : ""}${more ? ',"more":true' : ""}}`;
}

/** The JSON that ends a WebSocket. @param {number} id @param {number | undefined} code @param {string} reason */
export function closeJson(id, code, reason) {
  return JSON.stringify({ type: "close", id, code, reason: reason === "" ? undefined : reason });
}

/** The JSON of a failure. @param {number} id @param {string} message @param {boolean} [retry] whether another worker may get it */
export function failureJson(id, message, retry) {
  const again = retry ? ',"retry":true' : "";
  return `{"type":"failure","id":${id},"message":${JSON.stringify(message)}${again}}`;
}

/** The `headers` of a response, in the order in which they are added. */
export class HeaderList {
  #json = "";
  #count = 0;

  /**
   * Adds a header. Throws ForbiddenResponse for a name or value that HTTP forbids, and a TypeError for a value of another type.
   *
   * @param {string} name
   * @param {unknown} value a text or a number, or an array of them for several lines of this name
   */
  add(name, value) {
    if (Array.isArray(value)) {
      for (const one of value) this.add(name, one);
      return;
    }
    if (++this.#count > MOST_HEADERS) {
      throw new ForbiddenResponse(`there are more than ${MOST_HEADERS} headers, which is the most that the core takes`);
    }
    if (typeof value === "string") this.#json += `,[${quoteName(name)},${quoteValue(value, name)}]`;
    else if (typeof value === "number") this.#json += `,[${quoteName(name)},"${value}"]`;
    else throw new TypeError(`the header ${name} is ${value === null ? "null" : `a ${typeof value}`}, not a string`);
  }

  get json() {
    return `[${this.#json.slice(1)}]`;
  }
}
