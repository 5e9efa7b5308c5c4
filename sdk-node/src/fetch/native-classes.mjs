/** The classes of this Node, from before ours take their places. */
export const { Request: NativeRequest, Response: NativeResponse, fetch: nativeFetch } = globalThis;
