import type { Fetched } from "../engine/answers.ts";
import { server } from "../engine/server.ts";
import { reason, said, t } from "../messages/messages.ts";
import { select } from "../ui/controls.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, fill, h } from "../ui/dom.ts";
import { importFiles } from "./loading.ts";

const SITES = [
  ["lichess", "Lichess"],
  ["chesscom", "chess.com"],
] as const;
const ASK_AGAIN_MS = 500;

/** The window in which somebody asks for the games of a user; `rukh serve` fetches them. */
export async function askForUser(): Promise<void> {
  let [site, open] = ["lichess", true];
  const onClose = () => (open = false);
  if (!(await server())?.users) {
    const words = t(
      "Downloading from Lichess and chess.com needs “rukh serve”: start it on this computer and open its page. Or export your games from the site as PGN and import the file.",
    );
    openDialog(t("Games of a user"), [h("p", null, words)]);
    return;
  }
  const name = h("input", { class: "input", maxlength: 60, autofocus: true, spellcheck: "false", autocomplete: "off" });
  const told = h("p", { role: "status" });
  const fetching = async () => {
    const query = new URLSearchParams({ site, name: name.value.trim() });
    let games = 0;
    for (let done = false; open && !done;) {
      ({ games, done } = (await ask(`./api/user?${query}`).then((answer) => answer.json())) as Fetched);
      told.textContent = t("{n} new games were added.", { n: games });
      if (!done) await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
    if (!open) return;
    const blob = await ask(`./api/user/games?${query}`).then((answer) => answer.blob());
    if (!open) return;
    close();
    await importFiles([new File([blob], `${name.value.trim()} (${SITES.find(([key]) => key === site)![1]})`)]);
  };
  const form = h(
    "form",
    {
      class: "stack",
      onSubmit: (event: Event) => {
        event.preventDefault();
        const go = form.querySelector<HTMLButtonElement>("[type=submit]")!;
        go.disabled = true;
        fill(told, t("Connecting …"));
        fetching()
          .catch((error: unknown) => fill(told, reason(error)))
          .finally(() => (go.disabled = false));
      },
    },
    select(t("Where"), SITES, "lichess", (chosen) => (site = chosen)),
    h("label", { class: "field" }, h("span", null, t("User")), name),
    told,
    h(
      "p",
      { class: "small muted" },
      t(
        "The program on your computer downloads this user’s public games and nothing else. Next time, it downloads only newer games.",
      ),
    ),
    h(
      "div",
      { class: "row end" },
      button(t("Cancel"), () => close()),
      h("button", { type: "submit", class: "button primary" }, t("Download")),
    ),
  );
  const { close } = openDialog(t("Games of a user"), [form], { onClose });
}

async function ask(address: string): Promise<Response> {
  const answer = await fetch(address);
  if (answer.ok) return answer;
  const { error } = (await answer.json()) as { error: string };
  throw new Error(said(error));
}
