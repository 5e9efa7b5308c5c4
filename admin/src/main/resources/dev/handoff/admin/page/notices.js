// What came of a click, said for a few seconds in a corner and to a screen reader.

import { byId, element } from "./dom.js";

const SHOWN_MILLIS = 8000;
const MOST = 4;

/** @param {string} text @param {"good" | "bad"} kind */
export function notice(text, kind = "good") {
  const notices = byId("notices");
  const made = element("p", { class: kind }, text);
  notices.append(made);
  while (notices.childElementCount > MOST) notices.firstElementChild?.remove();
  setTimeout(() => made.remove(), SHOWN_MILLIS);
}
