// Colours as the system has them, or as the button of the page was pressed last.

import { text, attribute } from "./dom.js";

const THEMES = ["auto", "light", "dark"];

function stored() {
  try {
    return localStorage.getItem("tutti-theme") ?? "auto";
  } catch {
    return "auto";
  }
}

/** Gives the button its duty; `restyle` is called when colours have changed. */
export function themes(button, restyle) {
  const paint = (theme) => {
    attribute(document.documentElement, "data-theme", theme === "auto" ? null : theme);
    text(button, theme[0].toUpperCase() + theme.slice(1));
    attribute(button, "aria-label", "Colours: " + (theme === "auto" ? "as the system has them" : theme) + ". Press to change.");
    restyle();
  };
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(stored()) + 1) % THEMES.length];
    try {
      localStorage.setItem("tutti-theme", next);
    } catch {
      // Kept for this page alone.
    }
    paint(next);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle);
  paint(stored());
}
