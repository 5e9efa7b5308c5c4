import { inspect } from "node:util";

/** The limits of a message. The core cuts what it logs to hardly more. */
const LONGEST_MESSAGE = 4000;
const MOST_MESSAGE_LINES = 20;
/** The limits of an error with its trace. */
const MOST_LINES = 200;
const LONGEST_LINE = 500;

/** The beginning of what an error says, for the core. A handler may throw a value that has no text. @param {unknown} error */
export function shortMessage(error) {
  let text;
  try {
    text = String(error);
  } catch {
    return `${typeof error} without a text`;
  }
  let end = -1;
  for (let line = 0; line < MOST_MESSAGE_LINES; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) return cut(text, LONGEST_MESSAGE);
  }
  return cut(text, Math.min(end, LONGEST_MESSAGE));
}

/**
 * An error as Node shows it, cut to what a log has room for, since it may say as much as its client has sent. The beginning and the
 * end stay: the trace stands between the message and the properties, and the cause comes last.
 *
 * @param {unknown} error
 */
export function shortTrace(error) {
  const lines = inspect(error).split("\n");
  const leftOut = lines.length - MOST_LINES;
  if (leftOut > 0) lines.splice(MOST_LINES / 2, leftOut, `… (${leftOut} more lines)`);
  return lines.map((line) => cut(line, LONGEST_LINE)).join("\n");
}

/** The beginning of a text, and how many characters follow. @param {string} text @param {number} length */
export function cut(text, length) {
  const more = text.length - length;
  return more <= 0 ? text : `${text.slice(0, length)}… (${more} more characters)`;
}
