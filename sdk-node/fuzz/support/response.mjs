import assert from "node:assert/strict";

const TOKEN_CHARACTERS = new Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

/**
 * What every response on its way to the core has to be: a status of a response, names that are tokens, and no line end or other
 * control character anywhere. Told character by character, so that no mistake of the code's patterns is made here again.
 *
 * @param {string} json of a response
 */
export function assertResponse(json) {
  const { type, status, reason = "", headers = [] } = JSON.parse(json);
  assert.equal(type, "response");
  assert.ok(Number.isInteger(status) && status >= 200 && status <= 599, `the status ${status}`);
  assertText(reason);
  for (const [name, value, ...more] of headers) {
    assert.ok(
      more.length === 0 && name.length > 0 && [...name].every((c) => TOKEN_CHARACTERS.has(c)),
      `the name ${name}`,
    );
    assertText(value);
  }
  return { status, reason, headers };
}

/** @param {string} text */
function assertText(text) {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const allowed = unit === 0x09 || (unit >= 0x20 && unit <= 0x7e) || (unit >= 0x80 && unit <= 0xff);
    assert.ok(allowed, `U+${unit.toString(16)} in ${JSON.stringify(text)}`);
  }
}
