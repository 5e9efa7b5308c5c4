/** The JSON of what a worker sends. */

/** An answer that HTTP forbids, and the core would refuse. Told to whoever made it, with the name of what is wrong. */
export class ForbiddenAnswer extends Error {}

const FIRST_STATUS = 200;
const LAST_STATUS = 599;
/** RFC 9110 section 5.6.2. All of these stand for themselves in JSON. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Of what a field's value may hold, the characters that stand for themselves in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** RFC 9110 section 5.5. */
const FORBIDDEN = /[^\t -~\x80-\xff]/u;

/** @param {string} name */
function quoteName(name) {
  if (!TOKEN.test(name)) refuseName(name);
  return `"${name}"`;
}

/**
 * A field's value, or a reason phrase, which holds the same characters (RFC 9112 section 4). One test tells that most texts
 * are both allowed and need no escapes.
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
  throw new ForbiddenAnswer(
    `${place} holds U+${unit}, and may hold only tabs, blanks and visible characters up to U+00FF: encode the rest`,
  );
}

/** @param {string} name */
function refuseName(name) {
  throw new ForbiddenAnswer(
    `the header name ${JSON.stringify(name)} is not a token: letters, digits and !#$%&'*+-.^_\`|~ only`,
  );
}

/**
 * @param {number} id
 * @param {number} status
 * @param {string | undefined} reason
 * @param {string} headers as `headersJson` or `headerListJson` makes it
 */
export function responseJson(id, status, reason, headers) {
  if (!(Number.isInteger(status) && status >= FIRST_STATUS && status <= LAST_STATUS)) {
    throw new ForbiddenAnswer(
      `the status ${status} is not one of an answer, which are ${FIRST_STATUS} to ${LAST_STATUS}`,
    );
  }
  const phrase = reason === undefined ? "" : `,"reason":${quoteValue(reason)}`;
  const fields = headers === "[]" ? "" : `,"headers":${headers}`;
  return `{"type":"response","id":${id},"status":${status}${phrase}${fields}}`;
}

/** @param {number} id @param {string} message @param {boolean} [retry] */
export function failureJson(id, message, retry) {
  const again = retry ? ',"retry":true' : "";
  return `{"type":"failure","id":${id},"message":${JSON.stringify(message)}${again}}`;
}

/** Fields, in the order in which they are added, as the `headers` of a response. */
export class HeaderList {
  #json = "";

  /**
   * @param {string} name
   * @param {unknown} value a text or a number, or an array of them for several fields of this name
   */
  add(name, value) {
    if (typeof value === "string") this.#json += `,[${quoteName(name)},${quoteValue(value, name)}]`;
    else if (Array.isArray(value)) for (const one of value) this.add(name, one);
    else if (typeof value === "number") this.#json += `,[${quoteName(name)},"${value}"]`;
    else throw new TypeError(`the header ${name} is ${value === null ? "null" : `a ${typeof value}`}, not a string`);
  }

  get json() {
    return `[${this.#json.slice(1)}]`;
  }
}
