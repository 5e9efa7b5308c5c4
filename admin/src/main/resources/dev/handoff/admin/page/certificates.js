// What clients with TLS are shown, and for how long that is valid.

import { byId, element, setText, show } from "./dom.js";
import { NONE, span } from "./format.js";
import { Rows } from "./rows.js";

/** @import { Certificate, Snapshot, Stats } from "./types.js" */

/** @typedef {{ key: string, file: string, names: string, state: string, left: string }} Shown */

/** Those who renew certificates do it weeks before; then something keeps them from it. */
const SOON_SECONDS = 14 * 24 * 60 * 60;

/** By the server's clock. @param {Certificate} certificate @param {Stats} stats */
export function secondsLeft({ expiresAt }, { server }) {
  return (Date.parse(expiresAt) - Date.parse(server.startedAt)) / 1000 - server.uptimeSeconds;
}

/** @param {number} seconds that are left @returns {"expired" | "expires soon" | "valid"} */
export function validity(seconds) {
  if (seconds <= 0) return "expired";
  return seconds < SOON_SECONDS ? "expires soon" : "valid";
}

export class CertificateTable {
  #section = byId("certificates");
  #rows = new Rows(byId("certificates-rows"), (/** @type {Shown} */ { key }) => key, createRow);

  /** @param {Snapshot} snapshot */
  update({ stats }) {
    const { listening, certificates } = stats.tls;
    setText(byId("certificates-note"), `at ${listening.join(", ")}`);
    this.#rows.update(
      certificates.map((certificate, index) => {
        const seconds = secondsLeft(certificate, stats);
        return {
          key: `${index} ${certificate.file}`,
          file: certificate.file,
          names: certificate.names.join(", ") || NONE,
          state: validity(seconds),
          left: seconds <= 0 ? NONE : span(seconds),
        };
      }),
    );
    show(this.#section, listening.length > 0);
  }
}

function createRow() {
  const file = element("th", { scope: "row" });
  const names = element("td");
  const state = element("span", { class: "badge" });
  const left = element("td", { class: "number" });
  const node = element("tr", {}, file, names, element("td", {}, state), left);

  /** @param {Shown} certificate */
  const update = (certificate) => {
    setText(file, certificate.file);
    setText(names, certificate.names);
    setText(state, certificate.state);
    state.dataset.state = certificate.state;
    setText(left, certificate.left);
  };
  return { node, update };
}
