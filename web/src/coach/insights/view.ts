import type { View } from "../../app/router.ts";
import { h } from "../../ui/dom.ts";
import { t } from "../../messages/messages.ts";

/** What all games of one player say together. */
export class InsightsView implements View {
  readonly element = h(
    "div",
    { class: "insights" },
    h("p", { class: "muted" }, t("Your games, explained. Nothing leaves this computer.")),
  );
}
