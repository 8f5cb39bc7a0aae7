import { h } from "./dom.ts";
import { t } from "../messages/messages.ts";

let live: HTMLElement | null = null;
let tray: HTMLElement | null = null;

/** Puts the page's live region and notice tray into the document. */
export function installNotices(): void {
  live = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite", id: "announcer" });
  tray = h("div", { class: "notices", role: "status" });
  document.body.append(live, tray);
}

/** Says something to a screen reader. */
export function announce(text: string): void {
  if (!live) return;
  // The same text twice is read only if it changes.
  live.textContent = live.textContent === text ? `${text}\u00a0` : text;
}

/** What may be done about it. */
export interface Action {
  readonly label: string;
  readonly run: () => void;
}

/** Shows a quiet notice for a few seconds; it never takes the focus. */
export function notice(text: string, tone: "plain" | "warn" = "plain", seconds = 6, action?: Action): void {
  if (!tray) return;
  const item = h("div", { class: `notice notice-${tone}` }, h("span", null, text));
  const close = () => item.remove();
  const act = () => {
    close();
    action?.run();
  };
  if (action) item.append(h("button", { type: "button", class: "notice-action", onClick: act }, action.label));
  item.append(h("button", { type: "button", class: "notice-close", "aria-label": t("Dismiss"), onClick: close }, "×"));
  for (const old of [...tray.children].slice(0, -2)) old.remove();
  tray.append(item);
  if (seconds > 0) setTimeout(close, seconds * 1000);
}
