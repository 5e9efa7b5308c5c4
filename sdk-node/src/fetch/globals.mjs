import { nativeRequest } from "./lazy-request.mjs";
import { LightResponse } from "./light-response.mjs";
import { NativeRequest, nativeFetch } from "./native-classes.mjs";
import { limitedForm, readFormsBy } from "./read-form.mjs";

/** A Request that can also be made of a lazy one, and may have a client's form. */
class CopyingRequest extends NativeRequest {
  /** @param {RequestInfo | URL} input @param {RequestInit} [init] */
  constructor(input, init) {
    super(nativeRequest(input), nativeRequest(init));
  }

  formData() {
    return limitedForm(this);
  }

  clone() {
    return readFormsBy(super.clone(), limitedForm);
  }

  /** Every request is an instance, a lazy one too. @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return value instanceof NativeRequest;
  }
}

/** Replaces Node's global classes by the light ones. Instances of Node's own classes work as before. */
export function useLightClasses() {
  globalThis.Response = /** @type {any} */ (LightResponse);
  globalThis.Request = /** @type {any} */ (CopyingRequest);
  globalThis.fetch = (input, init) => nativeFetch(/** @type {RequestInfo | URL} */ (nativeRequest(input)), init);
}
