import { navigate } from "../app/router.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { library } from "./db.ts";
import { importFile } from "./importer.ts";

/** A folder for the games of a file: its name without endings. */
const folderOf = (name: string): string => name.replace(/(\.(pgn|epd|txt|fen|gz|zst))+$/i, "").trim() || "Imported";

/** Brings files into the library, with a window that shows how far it is, and shows what came in. */
export async function importFiles(files: readonly File[]): Promise<void> {
  let stop = false;
  const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" });
  const text = h("p", { role: "status" }, "Reading …");
  const { close } = openDialog(
    "Into the library",
    [
      text,
      bar,
      h(
        "div",
        { class: "row end" },
        button("Stop", () => (stop = true)),
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
          text.textContent = `${file.name}: ${(count + games).toLocaleString("en")} games`;
        },
        () => stop,
      );
      count += done.games;
      refused += done.refused;
      problems.push(...done.problems);
      if (stop) break;
    }
    if (refused) notice(`${refused} of ${count + refused} games could not be read. ${problems[0] ?? ""}`, "warn", 12);
    else if (!count) notice("There is no game in this file.", "warn", 10);
    else notice(`${count.toLocaleString("en")} games are in the library now.`);
    if (count) navigate("library", files.length === 1 ? { folder } : {});
  } catch (error) {
    notice(`The file could not be read: ${error instanceof Error ? error.message : String(error)}`, "warn", 12);
  } finally {
    close();
  }
}
