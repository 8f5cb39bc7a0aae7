import { language } from "../messages/messages.ts";
import { settings } from "./settings.ts";
import { effect, signal } from "./store.ts";

const system = matchMedia("(prefers-color-scheme: dark)");
const dark = signal(system.matches);

function apply(): void {
  const root = document.documentElement;
  root.dataset.theme = settings.theme === "system" ? (dark.value ? "dark" : "light") : settings.theme;
  root.dataset.board = settings.boardTheme;
  root.dataset.makruk = settings.redMakruk ? "red" : "black";
  root.dataset.animation = settings.animation ? "on" : "off";
}

/** Follows the settings and the system. */
export function installTheme(): void {
  system.addEventListener("change", () => (dark.value = system.matches));
  document.documentElement.lang = language;
  effect(apply);
  // Chromium does not draw anew what it drew as boxes before the Thai letters came.
  document.fonts?.addEventListener("loadingdone", () => document.documentElement.classList.add("letters"));
}
