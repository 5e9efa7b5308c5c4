// The oldest requests in flight. What has used most of its time stands out, and its worker can be drained from here.

import { Bar, button, byId, element, setAttribute, setText, show } from "./dom.js";
import { count, duration, NONE } from "./format.js";
import * as operations from "./operations.js";
import { Rows } from "./rows.js";
import { urgency, used } from "./urgency.js";

/** @import { InFlight, Snapshot } from "./types.js" */

/** A page that one screen holds; the rest is counted. */
const SHOWN = 10;

/** @typedef {InFlight & { urgency: string, key: string }} Shown */

export class RequestTable {
  #rows = new Rows(byId("requests-rows"), (/** @type {Shown} */ request) => request.key, createRow);
  #space = /** @type {HTMLElement} */ (byId("requests-rows").closest(".scroll"));
  #height = 0;

  /** @param {Snapshot} snapshot */
  update({ stats, requests }) {
    if (requests === null) return;
    const usual = stats.recent.latencyMillis.p99;
    const shown = keyed(requests.requests.slice(0, SHOWN)).map((request) => ({
      ...request,
      urgency: urgency(request, usual),
    }));
    this.#rows.update(shown);
    show(byId("requests-none"), shown.length === 0);
    setText(
      byId("requests-note"),
      shown.length < requests.inHand ? `${shown.length} of ${count(requests.inHand)}` : "",
    );
    this.#keepHeight();
  }

  /** Requests come and go many times a second; what is below them must not move with them. */
  #keepHeight() {
    const height = this.#space.offsetHeight;
    if (height <= this.#height) return;
    this.#height = height;
    this.#space.style.minHeight = `${height}px`;
  }
}

/**
 * Each with a key that it keeps from one look to the next, so that a button stays with its request. Clients choose ids, and may give
 * one to several requests: so the connection counts as well, and among equal ones the place.
 *
 * @param {InFlight[]} requests
 */
export function keyed(requests) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return requests.map((request) => {
    const known = [request.id, request.traceId, request.client, request.method, request.target].join(" ");
    const earlier = seen.get(known) ?? 0;
    seen.set(known, earlier + 1);
    return { ...request, key: `${known} ${earlier}` };
  });
}

/** @param {Shown} request */
function createRow(request) {
  let worker = request.worker;
  const bar = new Bar();
  const age = element("span");
  const mark = element("span", { class: "mark" });
  const line = element("span", { class: "line" });
  const state = element("span", { class: "badge" });
  const holder = element("td");
  const [waited, handler, left, client] = ["number wide", "number wide", "number", "wide"].map((name) =>
    element("td", { class: name }),
  );
  const drain = button("Drain worker", () => worker !== null && operations.drain(worker));
  const node = element(
    "tr",
    {},
    element("td", { class: "number" }, age, bar.node),
    element("td", { class: "request" }, mark, line),
    element("td", {}, state),
    holder,
    waited,
    handler,
    left,
    client,
    element("td", { class: "actions" }, drain),
  );

  /** @param {Shown} now */
  const update = (now) => {
    worker = now.worker;
    node.dataset.urgency = now.urgency;
    setText(age, duration(now.ageMillis));
    bar.set(used(now));
    setText(mark, now.urgency === "calm" ? "" : now.urgency);
    setText(line, `${now.method} ${now.target}`);
    setAttribute(line, "title", now.target);
    setText(state, now.state);
    state.dataset.state = now.state;
    setText(holder, (now.worker ?? `${now.pool} (queue)`) + (now.retiring ? " (retiring)" : ""));
    setText(waited, duration(now.waitMillis));
    setText(handler, duration(now.handlerMillis));
    setText(left, now.deadlineInMillis === null ? NONE : duration(Math.max(0, now.deadlineInMillis)));
    setText(client, now.client);
    show(drain, now.worker !== null && !now.retiring);
    setAttribute(drain, "aria-label", `Drain worker ${now.worker}`);
    setAttribute(drain, "title", `Ends ${now.worker} when it has finished its requests`);
  };
  return { node, update };
}
