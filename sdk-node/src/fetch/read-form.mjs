import { refuseLargeForms } from "./form-limits.mjs";
import { NativeRequest, NativeResponse } from "./native-classes.mjs";

/** One of Node's own Requests or Responses. @typedef {Request | Response} Message */

/** Reads a form, however large it is. @param {Message} message */
export function nativeForm(message) {
  return methodsOf(message).formData.call(message);
}

/** Reads a form. Throws RefusedRequest for a large one, before Node reads any of it. @param {Message} message */
export async function limitedForm(message) {
  return nativeForm(await withinLimits(message));
}

/**
 * A message of which a form can be read. Throws RefusedRequest where the form is too large.
 *
 * @param {Message} message
 * @param {Buffer} [content] of the message, where somebody has it already
 * @returns {Promise<Message>}
 */
export async function withinLimits(message, content) {
  if (message.bodyUsed) return message; // Node says so
  const type = message.headers.get("content-type") ?? "";
  const bytes = content ?? Buffer.from(await methodsOf(message).arrayBuffer.call(message));
  refuseLargeForms(type, bytes);
  return content ? message : new NativeResponse(/** @type {any} */ (bytes), { headers: { "content-type": type } });
}

/**
 * Has a message, and each clone of it, read forms by a function.
 *
 * @template {Message} M
 * @param {M} message
 * @param {(message: Message) => Promise<FormData>} read
 * @returns {M}
 */
export function readFormsBy(message, read) {
  /** @type {() => any} */
  const clone = methodsOf(message).clone;
  const replaced = {
    formData: () => read(message),
    clone: () => readFormsBy(clone.call(message), read),
  };
  for (const [name, value] of Object.entries(replaced)) {
    Object.defineProperty(message, name, { value, configurable: true, writable: true });
  }
  return message;
}

/** @param {Message} message */
function methodsOf(message) {
  return message instanceof NativeResponse ? NativeResponse.prototype : NativeRequest.prototype;
}
