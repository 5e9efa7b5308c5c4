import type { X509Certificate } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The request that a plain handler gets (docs/PROTOCOL.md, `request`). */
export interface PlainRequest {
  /** The core's number for the request, unique on its connection. */
  readonly id: number;
  /** As the client sent it; the letter case counts (RFC 9110 section 9.1). */
  readonly method: string;
  /** Origin form or `*`, as the client sent it, neither decoded nor normalised (RFC 9112 section 3.2). */
  readonly target: string;
  /** The HTTP version of the client: "1.1" or "1.0". */
  readonly version: string;
  /** In the client's order, with names in lower case and repeated lines kept. Each character is one octet (ISO-8859-1). */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** The value of a header, in any letter case, several joined by a comma; undefined where there is none. */
  header(name: string): string | undefined;
  /**
   * The whole body; empty where the request has none. A Fetch application, which gets this object beside its Request, finds a body
   * above 1 MiB in the Request only.
   */
  readonly body: Buffer;
  /**
   * The body in pieces, as they come. Leaving the loop drops the rest. Rejected with an AbortError or a TimeoutError where the request
   * is cancelled before its body was whole.
   */
  stream(): AsyncGenerator<Buffer, void, undefined>;
  /** The peer of the connection as `address:port`, IPv6 in brackets. No header can forge it. */
  readonly client: string;
  /** What the client has spoken: "http", or "https" over TLS or where a proxy that the core trusts says so. */
  readonly scheme: string;
  /** What the client has shown over TLS, where `--tls-client-ca` asks for it; the core has checked it. */
  readonly clientCertificate: X509Certificate | undefined;
  /** The first characters of the target, below which the route serves this handler; empty for the root. */
  readonly prefix: string;
  /** What logs call the request; undefined where the core gives no ids. */
  readonly requestId: string | undefined;
  /** How long the response may take, in milliseconds from when the core handed the request over; then it answers 504. */
  readonly timeoutMillis: number;
  /** Aborted when nobody waits for the response any more: the client left, or the deadline has passed (a TimeoutError). */
  readonly signal: AbortSignal;
}

/** The request that a plain handler gets with `requestBody: "stream"`. */
export interface StreamedRequest extends Omit<PlainRequest, "body"> {
  /** The body is read by `stream`, however large it is. */
  readonly body: undefined;
}

/** The value of a header; an array gives several lines of one name. */
export type HeaderValue = string | number | readonly string[];

/**
 * The response that a plain handler returns. The core adds Content-Length and Date. A response that HTTP forbids (RFC 9110 sections 5
 * and 15) fails its request, and the log names the rule.
 */
export interface PlainResponse {
  /** 200 to 599; the default is 200. */
  status?: number;
  /** The reason phrase; the default is the usual one. */
  reason?: string;
  headers?: Readonly<Record<string, HeaderValue>> | Iterable<readonly [name: string, value: HeaderValue]>;
  /**
   * Text is sent as UTF-8. Bytes must not be changed afterwards.
   *
   * An iterable gives the body in parts. It is asked for the next one when there is room for it. What it gives leaves at the end of
   * each turn of the event loop. When the client leaves a ReadableStream is cancelled, a Readable destroyed, and any other iterator
   * told by `return`: a generator hears of that when what it awaits has come, and sooner by `request.signal`.
   */
  body?: string | Uint8Array | ArrayBuffer | null | Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>;
}

/** An event of a `text/event-stream` (HTML standard, section 9.2). It has at least one of these. */
export interface ServerSentEvent {
  /** What the event says; several lines are fine. */
  data?: string;
  /** The type; `message` unless given. One line. */
  event?: string;
  /** What a client that comes again sends as `Last-Event-ID`. One line. */
  id?: string;
  /** How many milliseconds the client waits before it comes again. */
  retry?: number;
}

/** A function from request to response, or to a promise of one. Whatever it throws is a 500 for the client. */
export type PlainHandler = (request: PlainRequest) => PlainResponse | PromiseLike<PlainResponse>;

/** A Hono application, or any other object whose `fetch` takes Requests and returns Responses. */
export interface FetchApplication {
  // biome-ignore lint/suspicious/noExplicitAny: frameworks name a type of their own for what comes with the request
  fetch(request: Request, plain: any): Response | PromiseLike<Response>;
  /** As `WebSocketOptions` says, for an application that is a default export. */
  websocket?: WebSocketHandlers;
}

/** An Express application, `koa.callback()`, `fastify.routing`, or any other listener of the `request` event of node:http. */
export type NodeListener = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A message of a WebSocket: text as a string, binary as bytes. */
export type WebSocketMessage = string | Uint8Array;

/** One WebSocket (docs/PROTOCOL.md, `WebSockets`). */
export interface ServerWebSocket {
  /** The request that asked for it. */
  readonly request: PlainRequest;
  /** The one that was agreed on. */
  readonly subprotocol: string | undefined;
  /** Whether what is sent may reach the client. */
  readonly isOpen: boolean;
  /** What was sent and has not left, in bytes of what is binary and characters of what is text. */
  readonly bufferedBytes: number;
  /** For the application, which may keep here what it wants. */
  data: unknown;
  /**
   * Sends a message. Returns false where there is no room for more: it leaves all the same, but wait for `drain`. Bytes must not be
   * changed afterwards. Does nothing when it is closed. Throws a TypeError for anything else than a string or bytes, and a RangeError
   * for a message that is larger than the core takes (`--max-response`).
   */
  send(message: WebSocketMessage | ArrayBuffer | ArrayBufferView): boolean;
  /**
   * Closes it behind what was sent; does nothing where it is closed. Throws a RangeError for other codes than 1000 to 1003, 1007 to
   * 1014 and 3000 to 4999, and for a reason of more than 123 bytes (RFC 6455 sections 5.5 and 7.4).
   */
  close(code?: number, reason?: string): void;
}

/** The functions that serve WebSockets. What one throws, or its promise is rejected with, closes the WebSocket with 1011, and is logged. */
export interface WebSocketHandlers {
  open?(socket: ServerWebSocket): unknown;
  /** Called with each message. While its promise is pending, the message counts as one that the client has to wait for. */
  message(socket: ServerWebSocket, message: string | Buffer): unknown;
  /** Called when there is room again. */
  drain?(socket: ServerWebSocket): unknown;
  /** Called once, whoever closed it: 1005 without a code, 1006 where the connection broke off. */
  close?(socket: ServerWebSocket, code: number, reason: string): unknown;
}

export interface WebSocketOptions {
  /** Serves the WebSockets that clients ask for, at any path; `socket.request` has the path. */
  websocket?: WebSocketHandlers;
  /**
   * The pages that may open WebSockets in a browser, such as `https://example.org`; `["*"]` for any. By default those of the host that
   * the request was sent to. Others get 403.
   */
  origins?: readonly string[];
  /** Those that the application speaks. The first that the client offers is chosen. */
  subprotocols?: readonly string[];
}

export interface ServeOptions {
  /** How many requests the core hands over at once, from 1; the default is 64. The option `--concurrency` of the core overrides it. */
  concurrency?: number;
  /** Called when the last response has left. The process ends when the promise that it returns, if any, is fulfilled. */
  onClose?: () => unknown;
}

export interface FetchOptions extends ServeOptions {
  /**
   * False keeps Node's own Request and Response. Otherwise `Response`, `Request` and `fetch` are replaced by light ones, which make
   * real ones only when their parts are asked for. That is many times faster.
   */
  lightweight?: boolean;
}

export interface StreamOptions extends ServeOptions {
  /** The handler is called at once, and reads every body by `request.stream()`. Otherwise it is called when the body is whole. */
  requestBody: "stream";
}

/** A worker that serves. */
export interface Serving {
  /** Takes no new requests, finishes those in hand, and ends the process. May be called twice. */
  drain(): void;
}

/**
 * Serves a function from request to response, or an application with a `fetch` method, as a worker of the core whose socket
 * HANDOFF_SOCKET names. A promise of either keeps the window closed until it is fulfilled.
 *
 * Called once in a process; throws an Error on the second call, and a TypeError for any other handler and for a wrong concurrency.
 * Ends the process with 2 where the environment names no core.
 */
export function serve(
  handler: PlainHandler | PromiseLike<PlainHandler>,
  options?: ServeOptions & WebSocketOptions,
): Serving;
export function serve(
  handler: (request: StreamedRequest) => PlainResponse | PromiseLike<PlainResponse>,
  options: StreamOptions & WebSocketOptions,
): Serving;
export function serve(
  application: FetchApplication | PromiseLike<FetchApplication>,
  options?: FetchOptions & WebSocketOptions,
): Serving;

/** Serves a function that was written for node:http. Otherwise as `serve`. */
export function serveNode(application: NodeListener | PromiseLike<NodeListener>, options?: ServeOptions): Serving;

/**
 * A response that sends server-sent events, one for each item of an iterable, as they come. A string is an event's data. For `serve`
 * with a plain function; it has `text/event-stream` and `Cache-Control: no-store`.
 *
 * Throws a TypeError for anything but an iterable; an item that is no event fails the response.
 */
export function events(
  source: Iterable<string | ServerSentEvent> | AsyncIterable<string | ServerSentEvent>,
): PlainResponse & { headers: Record<string, string>; body: AsyncIterable<string> };
