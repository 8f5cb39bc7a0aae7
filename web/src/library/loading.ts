import { navigate } from "../app/router.ts";
import { openDialog } from "../ui/dialog.ts";
import { button, h } from "../ui/dom.ts";
import { notice } from "../ui/notice.ts";
import { library } from "./db.ts";
import { importFile } from "./importer.ts";
import { reason, t } from "../messages/messages.ts";

/** A folder for the games of a file: its name without endings. */
const folderOf = (name: string): string => name.replace(/(\.(pgn|epd|txt|fen|gz|zst))+$/i, "").trim() || "Imported";

/** Games of files that were there already, by their place in the file. */
type Doubles = ReadonlyMap<File, ReadonlySet<number>>;

/** Brings files into the library, with a window that shows how far it is, and shows what came in. */
export async function importFiles(files: readonly File[], only?: Doubles): Promise<void> {
  let stop = false;
  const bar = h("progress", { max: 1, value: 0, "aria-label": t("Progress") });
  const text = h("p", { role: "status" }, t("Reading …"));
  const { close } = openDialog(
    t("Importing games"),
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
    let [count, refused, cut, firstCut, short, firstShort, broken] = [0, 0, 0, "", 0, "", ""];
    const problems: string[] = [];
    const doubles = new Map<File, ReadonlySet<number>>();
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
        only?.get(file),
      );
      count += done.games;
      refused += done.refused;
      cut += done.cut;
      firstCut ||= done.firstCut;
      short += done.short;
      firstShort ||= done.firstShort;
      problems.push(...done.problems);
      if (done.broken) broken ||= t("{file} is damaged or incomplete: {why}", { file: file.name, why: done.broken });
      if (done.known.size) doubles.set(file, done.known);
      if (stop) break;
    }
    const known = [...doubles.values()].reduce((sum, { size }) => sum + size, 0);
    if (refused)
      notice(
        t("{bad} of {n} games could not be read. {why}", {
          bad: refused,
          n: count + known + refused,
          why: problems[0] ?? "",
        }),
        "warn",
        12,
      );
    else if (!count && !known && !broken) notice(t("There is no game in this file."), "warn", 10);
    else if (count) notice(t("{n} games are in the library now.", { n: count }));
    if (broken) notice(broken, "warn", 12);
    if (cut)
      notice(
        t("{n} variations end early, at a move that cannot be played. {why}", { n: cut, why: firstCut }),
        "warn",
        12,
      );
    if (short)
      notice(
        t("{n} games end early, where they cannot be read. {why}", {
          n: short,
          why: firstShort,
        }),
        "warn",
        12,
      );
    if (known)
      notice(t("{n} games were already there.", { n: known }), "plain", 15, {
        label: t("Import the duplicates too"),
        run: () => void importFiles([...doubles.keys()], doubles),
      });
    if (count || known) navigate("library", files.length === 1 && count ? { folder } : {});
  } catch (error) {
    notice(t("The file could not be read: {why}", { why: reason(error) }), "warn", 12);
  } finally {
    close();
  }
}
