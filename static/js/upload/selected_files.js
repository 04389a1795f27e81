// Yield files one at a time, so that a folder of 100,000 files is never held as a list.

/**
 * A file on this device. `name` is its path inside the selection; `open` reads it when needed.
 * @typedef {{ name: string, open: () => Promise<File> }} Found
 */

/**
 * The files of an input, by index, because the browser keeps the list anyway.
 * @param {FileList} files
 * @returns {AsyncGenerator<Found>}
 */
export async function* chosen(files) {
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index];
    if (file) yield { name: file.webkitRelativePath || file.name, open: () => Promise.resolve(file) };
  }
}

/**
 * The files in dropped folders and files, depth first.
 * @param {readonly FileSystemEntry[]} entries
 * @returns {AsyncGenerator<Found>}
 */
export async function* dropped(entries) {
  for (const entry of entries) yield* inside(entry);
}

/**
 * Counts the dropped files, reading only their names.
 * @param {readonly FileSystemEntry[]} entries
 * @param {(count: number) => void} say called at intervals
 * @returns {Promise<number>}
 */
export async function countDropped(entries, say) {
  let count = 0;
  for await (const _ of dropped(entries)) {
    count += 1;
    if (count % 500 === 0) say(count);
  }
  return count;
}

/**
 * The entries of a drop; only available while the event is being handled.
 * @param {DataTransfer} transfer
 * @returns {FileSystemEntry[]}
 */
export function entriesOf(transfer) {
  return [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
}

/** @param {FileSystemEntry} entry @returns {AsyncGenerator<Found>} */
async function* inside(entry) {
  if (isFile(entry)) {
    yield { name: entry.fullPath.replace(/^\//, ""), open: () => new Promise(entry.file.bind(entry)) };
  } else if (isFolder(entry)) {
    const reader = entry.createReader();
    // A reader returns a hundred entries at a time, and none at the end.
    for (;;) {
      const some = await new Promise(
        /** @type {(resolve: (found: FileSystemEntry[]) => void, reject: (error: DOMException) => void) => void} */
        (reader.readEntries.bind(reader)),
      );
      if (some.length === 0) return;
      yield* dropped(some);
    }
  }
}

/** @param {FileSystemEntry} entry @returns {entry is FileSystemFileEntry} */
const isFile = (entry) => entry.isFile;

/** @param {FileSystemEntry} entry @returns {entry is FileSystemDirectoryEntry} */
const isFolder = (entry) => entry.isDirectory;
