// Files as they are found, one at a time: a folder of 100,000 is never held as a list.

/**
 * A file on this device. `name` is its path inside what was chosen; `open` gets at it only when its turn comes.
 * @typedef {{ name: string, open: () => Promise<File> }} Found
 */

/**
 * What an input holds, by index: the browser keeps the list anyway.
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
 * What lies in the folders and files that were dropped, depth first.
 * @param {readonly FileSystemEntry[]} entries
 * @returns {AsyncGenerator<Found>}
 */
export async function* dropped(entries) {
  for (const entry of entries) yield* inside(entry);
}

/**
 * How many files lie in what was dropped: names alone are read.
 * @param {readonly FileSystemEntry[]} entries
 * @param {(count: number) => void} say called now and then
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
 * The entries of a drop; they must be taken while the event is being handled.
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
    // A reader gives a hundred at a time, and nothing once there are no more.
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
