import { onSetting, settings } from "./settings.ts";

const dark = matchMedia("(prefers-color-scheme: dark)");

function apply(): void {
  const root = document.documentElement;
  root.dataset.theme = settings.theme === "system" ? (dark.matches ? "dark" : "light") : settings.theme;
  root.dataset.board = settings.boardTheme;
  root.dataset.makruk = settings.redMakruk ? "red" : "black";
  root.dataset.animation = settings.animation ? "on" : "off";
}

/** Follows the settings and the system. */
export function installTheme(): void {
  apply();
  dark.addEventListener("change", apply);
  onSetting(apply);
}
