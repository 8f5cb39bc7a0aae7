import { navigate } from "../app/router.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { library } from "./db.ts";
import { importFile } from "./importer.ts";
import { reason, t } from "../messages/messages.ts";

/** A folder for the games of a file: its name without endings. */
const folderOf = (name: string): string => name.replace(/(\.(pgn|epd|txt|fen|gz|zst))+$/i, "").trim() || "Imported";

/** Brings files into the library, with a window that shows how far it is, and shows what came in. */
export async function importFiles(files: readonly File[]): Promise<void> {
  let stop = false;
  const bar = h("progress", { max: 1, value: 0, "aria-label": t("Progress") });
  const text = h("p", { role: "status" }, t("Reading …"));
  const { close } = openDialog(
    t("Into the library"),
    [
      text,
      bar,
      h(
        "div",
        { class: "row end" },
        button(t("Stop"), () => (stop = true)),
      ),
    ],
    { onClose: () => (stop = true) },
  );
  let folder = "";
  try {
    const games = await library();
    let [count, refused] = [0, 0];
    const problems: string[] = [];
    for (const file of files) {
      folder = folderOf(file.name);
      const done = await importFile(
        games,
        file,
        folder,
        ({ games, share }) => {
          bar.value = share;
          text.textContent = t("{file}: {n} games", { file: file.name, n: count + games });
        },
        () => stop,
      );
      count += done.games;
      refused += done.refused;
      problems.push(...done.problems);
      if (stop) break;
    }
    if (refused)
      notice(
        t("{bad} of {n} games could not be read. {why}", { bad: refused, n: count + refused, why: problems[0] ?? "" }),
        "warn",
        12,
      );
    else if (!count) notice(t("There is no game in this file."), "warn", 10);
    else notice(t("{n} games are in the library now.", { n: count }));
    if (count) navigate("library", files.length === 1 ? { folder } : {});
  } catch (error) {
    notice(t("The file could not be read: {why}", { why: reason(error) }), "warn", 12);
  } finally {
    close();
  }
}
