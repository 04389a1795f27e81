// Yield files one at a time, so that a folder of 100,000 files is never held as a list.

/** A file on this device. `name` is its path inside the selection; `open` reads it when needed. */
export type Found = { name: string; open: () => Promise<File> };

/** The files of an input, by index, because the browser keeps the list anyway. */
export async function* chosen(files: FileList): AsyncGenerator<Found> {
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index];
    if (file) yield { name: file.webkitRelativePath || file.name, open: () => Promise.resolve(file) };
  }
}

/** The files in dropped folders and files, depth first. */
export async function* dropped(entries: readonly FileSystemEntry[]): AsyncGenerator<Found> {
  for (const entry of entries) yield* inside(entry);
}

/** The entries of a drop; only available while the event is being handled. */
export function entriesOf(transfer: DataTransfer): FileSystemEntry[] {
  return [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}

async function* inside(entry: FileSystemEntry): AsyncGenerator<Found> {
  if (entry.isFile) {
    yield { name: entry.fullPath.replace(/^\//, ""), open: () => new Promise((...ends) => (entry as FileSystemFileEntry).file(...ends)) };
  } else if (entry.isDirectory) {
    const reader = (entry as FileSystemDirectoryEntry).createReader();
    // A reader returns a hundred entries at a time, and none at the end.
    for (;;) {
      const some = await new Promise<FileSystemEntry[]>((...ends) => reader.readEntries(...ends));
      if (some.length === 0) return;
      yield* dropped(some);
    }
  }
}
