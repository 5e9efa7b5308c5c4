/** Node's own classes, taken before the light ones replace them. */
export const { Request: NativeRequest, Response: NativeResponse, fetch: nativeFetch } = globalThis;
