import type { IncomingMessage, ServerResponse } from "node:http";

/** What a plain handler gets: the request of the worker protocol. */
export interface PlainRequest {
  /** The core's number for it, unique on its connection. */
  readonly id: number;
  readonly method: string;
  /** Origin form or `*`, as the client wrote it: not decoded, not normalised. */
  readonly target: string;
  /** What the client speaks: "1.1" or "1.0". */
  readonly version: string;
  /** In the client's order, names in lower case, duplicates kept. Each character is one octet (ISO-8859-1). */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The value of a field, several joined by a comma; undefined where there is none. */
  header(name: string): string | undefined;
  /** All of it; empty where there was none. */
  readonly body: Buffer;
  /** The peer as `address:port`, IPv6 in brackets. No header can forge it. */
  readonly client: string;
  /** What to call the request in logs. */
  readonly requestId: string | undefined;
  /** How long the client's answer may still take. */
  readonly timeoutMillis: number;
  /** Aborted when nobody waits for the answer any more: the client left, or the deadline passed (a TimeoutError). */
  readonly signal: AbortSignal;
}

/** A field's value; several of one name come from an array. */
export type HeaderValue = string | number | readonly string[];

/** What a plain handler returns. The core adds Content-Length and Date, and checks the rest. */
export interface PlainResponse {
  /** 200 to 599; 200 where absent. */
  status?: number;
  /** The reason phrase; the usual one where absent. */
  reason?: string;
  headers?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [name: string, value: HeaderValue]>;
  /** Text goes out as UTF-8. Bytes must not be changed afterwards. */
  body?: string | Uint8Array | ArrayBuffer | null;
}

export type PlainHandler = (request: PlainRequest) => PlainResponse | PromiseLike<PlainResponse>;

/** A Hono application, or anything else whose `fetch` answers Requests. */
export interface FetchApplication {
  // biome-ignore lint/suspicious/noExplicitAny: frameworks name a type of their own for what comes with the request
  fetch(request: Request, plain: any): Response | PromiseLike<Response>;
}

/** An Express application, `koa.callback()`, `fastify.routing`, or any other listener of node:http's `request` event. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

export interface ServeOptions {
  /** How many requests this process takes at once, where the operator did not choose: 64. */
  concurrency?: number;
  /** Called when the last answer has left; the process ends when what it returns is fulfilled. */
  onClose?: () => unknown;
}

export interface FetchOptions extends ServeOptions {
  /**
   * False keeps Node's own Request and Response. Otherwise `Response`, `Request` and `fetch` are replaced by ones that make
   * the real ones only when their parts are asked for, which is many times faster.
   */
  lightweight?: boolean;
}

export interface Serving {
  /** Takes no new requests, finishes those in hand, and ends the process. */
  drain(): void;
}

/**
 * Serves a function from request to answer, or an application with a `fetch` method, by the core whose socket HANDOFF_SOCKET
 * names. A promise of either keeps the window closed until it is fulfilled. Once in a process.
 */
export function serve(handler: PlainHandler | PromiseLike<PlainHandler>, options?: ServeOptions): Serving;
export function serve(application: FetchApplication | PromiseLike<FetchApplication>, options?: FetchOptions): Serving;

/** Serves what was written for node:http. */
export function serveNode(application: NodeListener | PromiseLike<NodeListener>, options?: ServeOptions): Serving;
