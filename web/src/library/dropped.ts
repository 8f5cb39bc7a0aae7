/** Files of a folder that hold games; what somebody chose himself is read whatever its name is. */
const GAMES = /\.(pgn|epd)(\.(gz|zst))?$/i;

/** The files among those of a folder that hold games, in the order of their names. */
export const gameFiles = (files: readonly File[]): File[] =>
  files.filter(({ name }) => GAMES.test(name)).sort((a, b) => pathOf(a).localeCompare(pathOf(b)));

const pathOf = (file: File): string => file.webkitRelativePath || file.name;

type Items = Iterable<Pick<DataTransferItem, "kind" | "webkitGetAsEntry">>;

/**
 * What was dropped on the page: files, and the games of folders with all that is in them. `folders` says that there were some. The
 * browser forgets what was dropped when the event is over, so nothing is awaited before it is asked.
 */
export async function droppedFiles(data: {
  readonly files: Iterable<File>;
  readonly items: Items;
}): Promise<{ files: File[]; folders: boolean }> {
  const plain = [...data.files];
  const entries = [...data.items].flatMap((item) => (item.kind === "file" ? (item.webkitGetAsEntry?.() ?? []) : []));
  const folders = entries.filter((entry) => entry.isDirectory) as FileSystemDirectoryEntry[];
  if (folders.length === 0) return { files: plain, folders: false };
  const names = new Set(folders.map(({ name }) => name));
  const found = (await Promise.all(folders.map(filesOf))).flat();
  // A folder is among the files, too, as one without content.
  return { files: [...plain.filter(({ name }) => !names.has(name)), ...gameFiles(found)], folders: true };
}

async function filesOf(folder: FileSystemDirectoryEntry): Promise<File[]> {
  const reader = folder.createReader();
  const found: File[] = [];
  for (;;) {
    // It comes in parts; the last one is empty.
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const entry of part)
      if (entry.isDirectory) found.push(...(await filesOf(entry as FileSystemDirectoryEntry)));
      else
        found.push(await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)));
  }
}
