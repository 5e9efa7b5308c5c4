// The top of the page: which server this is, how it is, and what to look at first.

import { hasToken } from "./api.js";
import { concerns } from "./attention.js";
import { byId, element, setText, show } from "./dom.js";
import { clock, span } from "./format.js";
import { Rows } from "./rows.js";

/** @import { Concern } from "./attention.js" */
/** @import { Snapshot } from "./types.js" */

/** @typedef {Concern | { severity: "calm", text: string, at: string }} Line */

/** More than these, and nobody reads them; the rest shows when the worst is mended. */
const MOST = 6;

const CALM = /** @type {Line} */ ({ severity: "calm", text: "Nothing needs attention.", at: "" });

export class Status {
  #lines;

  constructor() {
    byId("attention").replaceChildren();
    this.#lines = new Rows(byId("attention"), keyOf, createLine);
  }

  /** @param {Snapshot} snapshot */
  seen(snapshot) {
    const { server } = snapshot.stats;
    const found = concerns(snapshot);
    show(byId("gone"), false);
    document.body.dataset.gone = "false";
    this.#say(server.state, found[0]?.severity ?? "calm");
    setText(byId("server"), `${server.version} · pid ${server.pid} · up ${span(server.uptimeSeconds)}`);
    this.#lines.update(found.length === 0 ? [CALM] : found.slice(0, MOST));
    // Links carry no token, so they would only be refused.
    show(/** @type {HTMLElement} */ (document.querySelector("footer nav")), !hasToken());
  }

  /** @param {Date} since */
  gone(since) {
    show(byId("gone"), true);
    document.body.dataset.gone = "true";
    this.#say("no response", "bad");
    setText(
      byId("gone"),
      `The server has not responded since ${clock(since)}. The figures are from then; this page goes on asking.`,
    );
  }

  /** @param {string} state @param {string} severity */
  #say(state, severity) {
    const node = byId("state");
    setText(node, state);
    node.dataset.severity = severity;
    document.title = severity === "bad" ? `(!) ${state} · Handoff` : "Handoff";
  }
}

/** The same concern with other numbers stays the same line. @param {Line} line */
function keyOf({ severity, text }) {
  return severity + text.replaceAll(/\d+/g, "");
}

/** @param {Line} line */
function createLine({ severity, at }) {
  const content = at === "" ? element("span") : element("a", { href: `#${at}` });
  const node = element("li", { class: severity }, content);
  return { node, update: (/** @type {Line} */ line) => setText(content, line.text) };
}
