// Messages in the message line, and the texts that all protocols share.

/** @import { Action } from "./actions.js" */

/**
 * A button in the message line. Enter presses the one whose key is Enter.
 * @typedef {{label: string, key: string, action: Action}} Offer
 */

/** @typedef {{style: "plain" | "strong" | "key" | "keys", text: string}} Part */

/**
 * `parts` is the text in pieces: plain, strong, a key cap, or a sentence about keys, which a touch screen without a
 * keyboard leaves out. `text` is the same text as one string.
 * @typedef {object} Message
 * @property {"info" | "ok" | "warn" | "stop"} kind
 * @property {string} code
 * @property {string} text
 * @property {readonly Part[]} parts
 * @property {readonly Offer[]} offers
 */

/** How long a note may be, in characters. */
export const LONGEST_TEXT = 2000;

const MARKED_UP = /(\[\[.*?\]\]|\*\*[^*]+\*\*|`[^`]+`)/;

/**
 * @param {Message["kind"]} kind
 * @param {string} code
 * @param {string} line with **strong**, `key` and [[a sentence about keys]]
 * @param {readonly Offer[]} [offers]
 * @returns {Message}
 */
export function message(kind, code, line, offers = []) {
  return { kind, code, text: line.replace(/\[\[|\]\]|\*\*|`/g, ""), parts: partsOf(line), offers };
}

/** @param {string} line @returns {Part[]} */
export const partsOf = (line) => line.split(MARKED_UP).filter((piece) => piece !== "").map(partOf);

/** @param {string} piece @returns {Part} */
function partOf(piece) {
  if (piece.startsWith("[[")) return { style: "keys", text: piece.slice(2, -2) };
  if (piece.startsWith("**")) return { style: "strong", text: piece.slice(2, -2) };
  return piece.startsWith("`") ? { style: "key", text: piece.slice(1, -1) } : { style: "plain", text: piece };
}

/** @param {"undo" | "redo"} what */
export const nothingToMessage = (what) => message("info", `nothing_to_${what}`, `Nothing to ${what}.`);

/** @param {number} marks */
const marksInNumber = (marks) => (marks === 1 ? "1 mark" : `${marks} marks`);

/** @param {boolean} on @param {number} [cleared] marks */
export const noErrorsMessage = (on, cleared = 0) =>
  on
    ? message("ok", "no_errors", `${cleared ? `${marksInNumber(cleared)} cleared. ` : ""}No errors in this image.`)
    : message("info", "no_errors_off", "“No errors” removed.");

export const offlineSubmitMessage = () =>
  message("stop", "offline", "Not submitted: you are offline. Your draft is kept on this device.");

/** @param {{number: number, skipped?: boolean}} before the number of the image in the queue, and what became of it */
export const submittedMessage = ({ number, skipped = false }) =>
  message("ok", skipped ? "skipped" : "submitted", `Image ${number} ${skipped ? "skipped" : "submitted"}.`, [
    { label: "Undo", key: "Ctrl Z", action: { type: "undo" } },
  ]);

/** @param {number} characters */
export const longTextMessage = (characters) =>
  message("stop", "long_text", `Refused: ${characters} characters; the limit is ${LONGEST_TEXT}.`);

export const noReasonMessage = () => message("stop", "no_reason", "Refused: choose a reason.");

/** @param {boolean} on */
export const flaggedMessage = (on) =>
  on ? message("ok", "flagged", "Flagged. You can keep annotating.") : message("ok", "unflagged", "Flag removed.");

/** @param {string} name @param {boolean} on */
export const taggedMessage = (name, on) =>
  on ? message("ok", "tagged", `Tagged: ${name}.`) : message("ok", "untagged", `Tag removed: ${name}.`);

export const noteMessage = () => message("ok", "note", "Note saved.");

export const takenMessage = () =>
  message("ok", "taken", "Other version loaded. Undo restores yours.");
