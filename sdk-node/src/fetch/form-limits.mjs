import { RefusedRequest } from "../protocol/plain-request.mjs";

/** The fields of an urlencoded form, and the parts of a multipart one. */
const MOST_FIELDS = 1000;
/** All fields of an urlencoded form. Node takes 20 s for the largest body that the core lets through. */
const MOST_URLENCODED_BYTES = 1024 * 1024;
/** The head of a part. */
const MOST_HEAD_BYTES = 8192;
/** The heads of all parts. Node takes 1.4 s for 8 MB of short lines. */
const MOST_HEADS_BYTES = 512 * 1024;
/** Boundaries that a Content-Type may seem to have: the body is searched for each. */
const MOST_BOUNDARIES = 4;
/** A boundary (RFC 2046 section 5.1.1). A search for one takes its length for each byte, if nearly the same stands there often. */
const MOST_BOUNDARY_CHARACTERS = 70;
const END_OF_HEAD = "\r\n\r\n";
const AMPERSAND = 0x26;
const BOUNDARY = "boundary=";
/** The characters of a boundary that Node reads. */
const OF_BOUNDARY = /^[0-9A-Za-z'_-]*/;

/**
 * Refuses a form with more fields than a form has, or larger ones: Node would make an object of each field and line of a head, and newer
 * versions take a time that grows with the square of their number. Counts what separates fields, and reads nothing. Only the content of a
 * part may be as large as the body.
 *
 * @param {string} type the Content-Type
 * @param {Buffer} body
 */
export function refuseLargeForms(type, body) {
  const kind = type.toLowerCase();
  if (kind.includes("application/x-www-form-urlencoded")) {
    if (body.length > MOST_URLENCODED_BYTES) throw refusal(`it has more than ${MOST_URLENCODED_BYTES} bytes`);
    refuseMore(body, AMPERSAND, MOST_FIELDS - 1);
  }
  if (!kind.includes("multipart/form-data")) return;
  // Another `boundary` may count where there are several, or where one stands in a text. So none may come too often. One that holds a
  // character which no boundary has is counted by what stands before, which comes at least as often.
  let boundaries = 0;
  for (let at = kind.indexOf(BOUNDARY); at >= 0; at = kind.indexOf(BOUNDARY, at + 1)) {
    if (++boundaries > MOST_BOUNDARIES) throw refusal(`it has more than ${MOST_BOUNDARIES} boundaries`);
    const value = valueAtStartOf(type.slice(at + BOUNDARY.length));
    if (value.length > MOST_BOUNDARY_CHARACTERS) {
      throw refusal(`it has a boundary of more than ${MOST_BOUNDARY_CHARACTERS} characters`);
    }
    const [boundary] = /** @type {RegExpExecArray} */ (OF_BOUNDARY.exec(value));
    refuseMore(body, `--${boundary}`, MOST_FIELDS + 1);
    refuseLongHeads(body, `--${boundary}`);
  }
}

/** @param {string} text from behind the `=` of a parameter on */
function valueAtStartOf(text) {
  if (!text.startsWith('"')) return text.split(";", 1)[0].trimEnd();
  let end = 1;
  while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
  return text.slice(1, end);
}

/** @param {Buffer} body @param {string} separator */
function refuseLongHeads(body, separator) {
  let all = 0;
  for (let at = body.indexOf(separator); at >= 0; at = body.indexOf(separator, at + separator.length)) {
    const end = at + separator.length + MOST_HEAD_BYTES + END_OF_HEAD.length;
    const head = body.subarray(at, end).indexOf(END_OF_HEAD);
    if (head < 0 && end < body.length) {
      throw refusal(`it has a part whose head has more than ${MOST_HEAD_BYTES} bytes`);
    }
    all += Math.max(0, head - separator.length);
    if (all > MOST_HEADS_BYTES) throw refusal(`the heads of its parts have more than ${MOST_HEADS_BYTES} bytes`);
  }
}

/** @param {string} problem for the client */
export function refusal(problem) {
  return new RefusedRequest(400, "bad_form", `the body is not a form: ${problem}`);
}

/** @param {Buffer} body @param {string | number} separator @param {number} most */
function refuseMore(body, separator, most) {
  const length = typeof separator === "string" ? separator.length : 1;
  let count = 0;
  for (let at = body.indexOf(separator); at >= 0; at = body.indexOf(separator, at + length)) {
    if (++count > most) {
      throw refusal(`it has more than ${MOST_FIELDS} fields`);
    }
  }
}
