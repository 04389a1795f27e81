// The annotations that this device keeps because the server does not have them yet.

const PREFIX = "anatomark:";
// The undo steps of a submitted image, of which nothing is unsaved.
const STEPS = ":steps";

/** The keys of all that is kept; none without local storage. */
export function keptKeys(): string[] {
  try {
    return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
  } catch {
    return [];
  }
}

/** The keys of the kept annotations. */
export const unsentKeys = () => keptKeys().filter((key) => !key.endsWith(STEPS));

/** Saves the kept annotations as a JSON file, by user and assignment. */
export function downloadUnsent() {
  const kept = unsentKeys().map((key) => [key.slice(PREFIX.length), JSON.parse(localStorage.getItem(key) ?? "null")]);
  const file = new Blob([JSON.stringify(Object.fromEntries(kept), null, 2)], { type: "application/json" });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: "my-unsent-work.json" });
  link.click();
  URL.revokeObjectURL(link.href);
}
