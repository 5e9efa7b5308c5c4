import { PlainRequest, RefusedRequest } from "../protocol/plain-request.mjs";
import { BodyCutOff } from "../protocol/request-body.mjs";
import { refusal } from "./form-limits.mjs";
import { NativeRequest } from "./native-classes.mjs";
import { nativeForm, readFormsBy, withinLimits } from "./read-form.mjs";
import { urlOf } from "./url.mjs";

/** @typedef {import("../protocol/request-body.mjs").RequestBody} RequestBody */

const WITHOUT_CONTENT = new Set(["GET", "HEAD"]);
/** The Fetch standard forbids the first methods, and turns the others to upper case. */
const METHODS_WITHOUT_FETCH = /^(CONNECT|TRACE|TRACK)$/i;
const METHODS_IN_CAPITALS = /^(DELETE|GET|HEAD|OPTIONS|POST|PUT)$/i;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * A Request that makes each of its parts when somebody asks for it: to make all of them costs more than everything else that is
 * done for a small request. Parts that are rarely asked for come from a real Request, which is made then.
 */
export class LazyRequest {
  #plain;
  /** @type {string | undefined} */
  #url;
  /** @type {Headers | undefined} */
  #headers;
  /** @type {Request | undefined} */
  #native;
  #used = false;

  /** @param {PlainRequest} plain */
  constructor(plain) {
    this.#plain = plain;
  }

  get method() {
    return this.#plain.method;
  }

  get url() {
    this.#url ??= urlOf(this.#plain.header("host") || "localhost", this.#plain.target, this.#plain.scheme);
    return this.#url;
  }

  get headers() {
    this.#headers ??= this.#native?.headers ?? new Headers(this.#plain.headers);
    return this.#headers;
  }

  get signal() {
    return this.#plain.signal;
  }

  get bodyUsed() {
    return this.#native?.bodyUsed ?? this.#used;
  }

  get body() {
    return this.native.body;
  }

  async text() {
    if (this.#native || this.#pieces) return this.native.text();
    const text = this.#content().toString("utf8");
    return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
  }

  async json() {
    return JSON.parse(await this.text());
  }

  async arrayBuffer() {
    if (this.#native || this.#pieces) return this.native.arrayBuffer();
    return inMemoryOfItsOwn(this.#content()).buffer;
  }

  async bytes() {
    return new Uint8Array(await this.arrayBuffer());
  }

  async blob() {
    return this.native.blob();
  }

  async formData() {
    return this.native.formData();
  }

  clone() {
    return this.native.clone();
  }

  /** A real Request in the same state. Throws RefusedRequest where Fetch cannot have its method, host or target. */
  get native() {
    if (this.#native === undefined) {
      const { method, body, signal } = this.#plain;
      refuseOtherMethods(method);
      const pieces = this.#pieces;
      const isEmpty = WITHOUT_CONTENT.has(method) || (body.length === 0 && !pieces);
      const content = isEmpty ? undefined : pieces ? streamOf(pieces) : body;
      this.#native = new NativeRequest(this.url, {
        method,
        headers: this.headers,
        body: /** @type {any} */ (content),
        signal,
        ...(pieces && { duplex: "half" }),
      });
      readFormsBy(this.#native, (request) => formOfClient(request, pieces ? undefined : body));
      if (this.#used) this.#native.body?.cancel();
      this.#headers = this.#native.headers;
    }
    return this.#native;
  }

  get #pieces() {
    return PlainRequest.piecesOf(this.#plain);
  }

  #content() {
    if (this.#used) throw new TypeError("Body is unusable: Body has already been read");
    this.#used = this.#plain.body.length > 0;
    return this.#plain.body;
  }
}

/** A copy, since a small Buffer shares its memory with other requests, and an application may take that by `buffer`. @param {Buffer} content */
function inMemoryOfItsOwn(content) {
  return new Uint8Array(content);
}

/** A stream that gives the pieces of a body as they are read. It holds none itself. @param {RequestBody} pieces */
function streamOf(pieces) {
  return new ReadableStream(
    {
      async pull(controller) {
        const piece = await pieces.next();
        if (piece === undefined) controller.close();
        else controller.enqueue(inMemoryOfItsOwn(piece));
      },
      cancel() {
        pieces.cutOff(new BodyCutOff("the application wants no more of this body"));
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Reads a form that a client has sent. What is none is its fault, unless the handler has read the body before.
 *
 * @param {import("./read-form.mjs").Message} request
 * @param {Buffer | undefined} body undefined where it comes in pieces, which are joined first
 */
async function formOfClient(request, body) {
  if (request.bodyUsed) return nativeForm(request);
  const form = await withinLimits(request, body);
  try {
    return await nativeForm(form);
  } catch (malformed) {
    throw refusal(/** @type {Error} */ (malformed).message);
  }
}

/** Refuses methods that a Request would change: it must not say `POST` where the core routed by `post`, which is another method. @param {string} method */
function refuseOtherMethods(method) {
  const isShown =
    !METHODS_WITHOUT_FETCH.test(method) && (!METHODS_IN_CAPITALS.test(method) || method === method.toUpperCase());
  if (!isShown)
    throw new RefusedRequest(501, "unsupported_method", `The method ${method} cannot be in a Fetch request.`);
}

Object.setPrototypeOf(LazyRequest.prototype, NativeRequest.prototype);

for (const name of [
  "cache",
  "credentials",
  "destination",
  "duplex",
  "integrity",
  "isHistoryNavigation",
  "isReloadNavigation",
  "keepalive",
  "mode",
  "redirect",
  "referrer",
  "referrerPolicy",
]) {
  Object.defineProperty(LazyRequest.prototype, name, {
    configurable: true,
    /** @this {any} */
    get() {
      return this.native[name];
    },
  });
}

/** The real Request for a lazy one, which Node's own functions need. @param {any} request */
export function nativeRequest(request) {
  return request instanceof LazyRequest ? request.native : request;
}
