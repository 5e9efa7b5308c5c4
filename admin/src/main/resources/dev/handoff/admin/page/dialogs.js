// The questions that the page asks. Each promise is settled when the dialog is closed, however that is done.

import { byId, setText } from "./dom.js";

/** @param {string} question @param {string} consequence @param {string} verb on the button that does it @returns {Promise<boolean>} */
export async function confirmed(question, consequence, verb) {
  setText(byId("confirm-title"), question);
  setText(byId("confirm-text"), consequence);
  setText(byId("confirm-yes"), verb);
  return (await answer("confirm")) !== null;
}

/** @param {string} pool @param {number} now @returns {Promise<number | null>} */
export async function askedWorkers(pool, now) {
  setText(byId("scale-title"), `How many workers for pool ${pool}?`);
  const input = /** @type {HTMLInputElement} */ (byId("scale").querySelector("input"));
  input.value = String(now);
  const form = await answer("scale");
  return form === null ? null : Number(form.get("workers"));
}

/** Asks until there is one, since without it nothing can be shown. @param {string} why @returns {Promise<string>} */
export async function askedToken(why) {
  if (why) setText(byId("token-why"), why);
  let form = null;
  while (form === null) form = await answer("token");
  /** @type {HTMLFormElement} */ (byId("token").querySelector("form")).reset();
  return String(form.get("token"));
}

/** @param {string} id @returns {Promise<FormData | null>} null where it was left without an answer */
function answer(id) {
  const dialog = /** @type {HTMLDialogElement} */ (byId(id));
  const form = /** @type {HTMLFormElement} */ (dialog.querySelector("form"));
  const closed = new AbortController();
  return new Promise((resolve) => {
    /** @param {FormData | null} given */
    const settle = (given) => {
      closed.abort();
      if (dialog.open) dialog.close();
      resolve(given);
    };
    const options = { signal: closed.signal };
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        settle(new FormData(form));
      },
      options,
    );
    dialog.querySelector("[data-cancel]")?.addEventListener("click", () => settle(null), options);
    dialog.addEventListener("close", () => settle(null), options);
    dialog.showModal();
  });
}
