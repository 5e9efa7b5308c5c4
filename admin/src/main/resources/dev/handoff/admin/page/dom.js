// Elements without markup: whatever comes from the server goes in as text.

/** The element with this id, which the page has. @param {string} id */
export function byId(id) {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no element ${id}`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** @param {string} label @param {() => void} act @param {Record<string, string>} attributes */
export function button(label, act, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

/** Leaves what is right as it is, so that a selection in it lasts. @param {Element} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** @param {Element} node @param {string} name @param {string} value */
export function setAttribute(node, name, value) {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value);
}

/** @param {HTMLElement} node @param {boolean} shown */
export function show(node, shown) {
  if (node.hidden === shown) node.hidden = !shown;
}

/** How full something is, drawn below its figures; these say the same in text. */
export class Bar {
  #fill = element("span");
  node = element("span", { class: "bar", "aria-hidden": "true" }, this.#fill);

  /** @param {number} share of one */
  set(share) {
    const width = `${(Math.min(1, Math.max(0, share)) * 100).toFixed(1)}%`;
    if (this.#fill.style.width !== width) this.#fill.style.width = width;
  }
}
