// Light or dark: as the system has it, or as the reader chose, in which case the browser keeps it.

const KEY = "handoff-theme";
const THEMES = ["system", "light", "dark"];

/** @param {HTMLElement} button @param {() => void} changed */
export function themeSwitch(button, changed) {
  apply(button, localStorage.getItem(KEY) ?? "system");
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "system";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    localStorage.setItem(KEY, next);
    apply(button, next);
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

/** @param {HTMLElement} button @param {string} theme */
function apply(button, theme) {
  document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
}
