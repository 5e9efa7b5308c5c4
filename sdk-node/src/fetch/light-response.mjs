import { HeaderList } from "../protocol/response-json.mjs";
import { NativeResponse } from "./native-classes.mjs";
import { limitedForm, readFormsBy } from "./read-form.mjs";

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** A value that Headers takes unchanged. */
const VALUE = /^[!-~\x80-\xff](?:[\t -~\x80-\xff]*[!-~\x80-\xff])?$/;
const REASON = /^[\t -~\x80-\xff]*$/;
const TEXT = "text/plain;charset=UTF-8";

/**
 * @typedef {[name: string, value: string][]} Fields
 * @typedef {object} Parts a response as a connection takes it
 * @property {number} status
 * @property {string | undefined} reason
 * @property {string} headers as JSON
 * @property {string | Uint8Array} body
 */

/**
 * A Response that keeps what it was made of, as long as nobody looks at more than its status and headers. To make a real one takes
 * ten times as long as everything else, and its content could only be read back as a stream. Arguments that are not simple make a
 * real one at once, with its errors.
 */
export class LightResponse {
  /** @type {string | Uint8Array | null} */
  #body = null;
  /** @type {Fields} */
  #fields = [];
  #status = 200;
  #statusText = "";
  /** @type {Headers | undefined} */
  #headers;
  /** @type {Response | undefined} */
  #native;

  /** @param {BodyInit | null} [body] @param {ResponseInit} [init] */
  constructor(body, init) {
    const { status = 200, statusText = "", headers } = init ?? {};
    const fields = fieldsOf(headers);
    if (isSimple(body, status, statusText) && fields) {
      this.#body = /** @type {string | Uint8Array | null} */ (body ?? null);
      this.#fields = fields;
      this.#status = status;
      this.#statusText = statusText;
      if (typeof body === "string" && !fields.some(([name]) => name === "content-type")) {
        fields.push(["content-type", TEXT]);
      }
    } else {
      this.#native = new NativeResponse(body, init);
    }
  }

  /** @param {unknown} data @param {ResponseInit} [init] */
  static json(data, init) {
    const body = JSON.stringify(data);
    if (body === undefined) throw new TypeError("The data is not of type JSON");
    const headers = new Headers(init?.headers);
    if (!headers.has("content-type")) headers.set("content-type", "application/json");
    return new LightResponse(body, { ...init, headers });
  }

  static error() {
    return NativeResponse.error();
  }

  /** @param {string | URL} url @param {number} [status] */
  static redirect(url, status) {
    return NativeResponse.redirect(url, status);
  }

  /** Every response is an instance, one of fetch() too. @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return value instanceof NativeResponse;
  }

  get status() {
    return this.#native?.status ?? this.#status;
  }

  get statusText() {
    return this.#native?.statusText ?? this.#statusText;
  }

  get ok() {
    return this.status >= 200 && this.status <= 299;
  }

  get headers() {
    this.#headers ??= this.#native?.headers ?? new Headers(this.#fields);
    return this.#headers;
  }

  get body() {
    return this.native.body;
  }

  get bodyUsed() {
    return this.#native?.bodyUsed ?? false;
  }

  get redirected() {
    return this.native.redirected;
  }

  get type() {
    return this.native.type;
  }

  get url() {
    return this.native.url;
  }

  text() {
    return this.native.text();
  }

  json() {
    return this.native.json();
  }

  arrayBuffer() {
    return this.native.arrayBuffer();
  }

  async bytes() {
    return new Uint8Array(await this.native.arrayBuffer());
  }

  blob() {
    return this.native.blob();
  }

  /** Many applications make a Response of what a client has sent, and read the form of that. */
  formData() {
    return limitedForm(this.native);
  }

  clone() {
    return readFormsBy(this.native.clone(), limitedForm);
  }

  /** A real Response of the same content. */
  get native() {
    if (this.#native === undefined) {
      const init = { status: this.#status, statusText: this.#statusText, headers: this.headers };
      const hasType = this.headers.has("content-type");
      this.#native = new NativeResponse(/** @type {BodyInit | null} */ (this.#body), init);
      if (!hasType) this.#native.headers.delete("content-type"); // which the real one adds to text, and which was deleted since
      this.#headers = this.#native.headers;
    }
    return this.#native;
  }

  /**
   * What a light response was made of; undefined for any other, and where a real one has been made of it.
   *
   * @param {unknown} response
   * @returns {Parts | undefined}
   */
  static parts(response) {
    if (typeof response !== "object" || response === null || !(#native in response)) return undefined;
    if (response.#native !== undefined) return undefined;
    const headers = headersJson(response.#headers ?? response.#fields);
    return { status: response.#status, reason: response.#statusText || undefined, headers, body: response.#body ?? "" };
  }
}

Object.setPrototypeOf(LightResponse.prototype, NativeResponse.prototype);

/** @param {Iterable<[string, string]>} fields */
export function headersJson(fields) {
  const list = new HeaderList();
  for (const [name, value] of fields) list.add(name, value);
  return list.json;
}

/** @param {unknown} body @param {unknown} status @param {unknown} statusText */
function isSimple(body, status, statusText) {
  const content = body === undefined || body === null || typeof body === "string" || body instanceof Uint8Array;
  return content && isSimpleStatus(body, status) && typeof statusText === "string" && REASON.test(statusText);
}

/** @param {unknown} body @param {unknown} status */
function isSimpleStatus(body, status) {
  if (!Number.isInteger(status)) return false;
  const code = /** @type {number} */ (status);
  const hasContent = code !== 204 && code !== 205 && code !== 304;
  return code >= 200 && code <= 599 && (hasContent || body === undefined || body === null);
}

/** The fields, where Headers takes each of them unchanged; else undefined. @param {any} headers @returns {Fields | undefined} */
function fieldsOf(headers) {
  if (headers === undefined) return [];
  if (headers instanceof Headers) return [...headers];
  if (typeof headers !== "object" || headers === null || Array.isArray(headers) || Symbol.iterator in headers) {
    return undefined;
  }
  /** @type {Fields} */
  const fields = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (typeof value !== "string" || !NAME.test(name) || !VALUE.test(value)) return undefined;
    fields.push([name.toLowerCase(), value]);
  }
  return fields;
}
