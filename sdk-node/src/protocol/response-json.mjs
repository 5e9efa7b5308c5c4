/** The JSON of what a worker sends. */

/** Characters that stand for themselves in JSON. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** @param {string} text */
function quote(text) {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/**
 * @param {number} id
 * @param {number} status
 * @param {string | undefined} reason
 * @param {string} headers as `headersJson` or `headerListJson` makes it
 */
export function responseJson(id, status, reason, headers) {
  const phrase = reason === undefined ? "" : `,"reason":${quote(reason)}`;
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
    if (typeof value === "string") this.#json += `,[${quote(name)},${quote(value)}]`;
    else if (Array.isArray(value)) for (const one of value) this.add(name, one);
    else if (typeof value === "number") this.#json += `,[${quote(name)},"${value}"]`;
    else throw new TypeError(`the header ${name} is ${value === null ? "null" : `a ${typeof value}`}, not a string`);
  }

  get json() {
    return `[${this.#json.slice(1)}]`;
  }
}
