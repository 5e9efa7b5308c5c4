import { nativeRequest } from "./lazy-request.mjs";
import { LightResponse } from "./light-response.mjs";
import { NativeRequest, nativeFetch } from "./native-classes.mjs";

/** A Request that can also be made from a lazy one. */
class CopyingRequest extends NativeRequest {
  /** @param {RequestInfo | URL} input @param {RequestInit} [init] */
  constructor(input, init) {
    super(nativeRequest(input), nativeRequest(init));
  }

  /** All requests are, the lazy ones too. @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return value instanceof NativeRequest;
  }
}

/** Puts the light classes into the places of Node's, whose instances stay as good as ever. */
export function useLightClasses() {
  globalThis.Response = /** @type {any} */ (LightResponse);
  globalThis.Request = /** @type {any} */ (CopyingRequest);
  globalThis.fetch = (input, init) => nativeFetch(/** @type {RequestInfo | URL} */ (nativeRequest(input)), init);
}
