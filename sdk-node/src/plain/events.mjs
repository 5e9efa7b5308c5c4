/**
 * Server-sent events, as the HTML standard has them (section 9.2.5, parsing an event stream).
 *
 * @typedef {import("../../index.d.ts").ServerSentEvent} ServerSentEvent
 */

const LINE_END = /\r\n|\r|\n/;
/** What would end the field that it stands in. An id with NUL would be ignored. */
const NOT_IN_A_FIELD = /[\r\n\0]/;

/**
 * The response that sends events, one for each item of the source.
 *
 * @param {any} source an iterable or asynchronous iterable
 */
export function events(source) {
  if (typeof (source?.[Symbol.asyncIterator] ?? source?.[Symbol.iterator]) !== "function") {
    throw new TypeError("events() takes an iterable or an asynchronous iterable of events");
  }
  return {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
    body: new EventBody(source),
  };
}

/** The text of each event. Not a generator, since that could not be closed while it awaits the next event. */
class EventBody {
  #source;

  /** @param {any} source */
  constructor(source) {
    this.#source = source;
  }

  [Symbol.asyncIterator]() {
    const iterator = this.#source[Symbol.asyncIterator]?.() ?? this.#source[Symbol.iterator]();
    return {
      async next() {
        const { done, value } = await iterator.next();
        return done ? { done: true, value: undefined } : { done: false, value: eventText(value) };
      },
      async return() {
        await iterator.return?.();
        return { done: true, value: undefined };
      },
    };
  }
}

/** The text of an event. Throws a TypeError for what is none. @param {unknown} event a ServerSentEvent, or its data alone */
export function eventText(event) {
  if (typeof event === "string") return `${dataLines(event)}\n`;
  if (typeof event !== "object" || event === null) {
    throw new TypeError(
      `an event is a string or { data, event, id, retry }, not ${event === null ? "null" : typeof event}`,
    );
  }
  const { data, event: name, id, retry } = /** @type {ServerSentEvent} */ (event);
  let text = "";
  if (name !== undefined) text += `event: ${field("event", name)}\n`;
  if (id !== undefined) text += `id: ${field("id", id)}\n`;
  if (retry !== undefined) text += `retry: ${milliseconds(retry)}\n`;
  if (data !== undefined) text += dataLines(data);
  if (text === "") throw new TypeError("an event has data, an event, an id or a retry");
  return `${text}\n`;
}

/** @param {unknown} data */
function dataLines(data) {
  if (typeof data !== "string")
    throw new TypeError(`an event's data is a ${typeof data}, not a string: encode it as JSON`);
  let lines = "";
  for (const line of data.split(LINE_END)) lines += `data: ${line}\n`;
  return lines;
}

/** @param {string} name @param {unknown} value */
function field(name, value) {
  if (typeof value !== "string") throw new TypeError(`an event's ${name} is a ${typeof value}, not a string`);
  if (NOT_IN_A_FIELD.test(value)) throw new TypeError(`an event's ${name} holds a line end or NUL`);
  return value;
}

/** @param {unknown} retry */
function milliseconds(retry) {
  if (Number.isSafeInteger(retry) && Number(retry) >= 0) return retry;
  throw new TypeError(`an event's retry is ${retry}, not a whole number of milliseconds`);
}
