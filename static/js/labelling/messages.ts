// Messages in the message line, and the texts that all protocols share.

import type { Action } from "./actions.ts";

/** A button in the message line. Enter presses the one whose key is Enter. */
export type Offer = { label: string; key: string; action: Action };

export type Part = { style: "plain" | "strong" | "key" | "keys"; text: string };

/**
 * `parts` is the text in pieces: plain, strong, a key cap, or a sentence about keys, which a touch screen without a
 * keyboard leaves out. `text` is the same text as one string.
 */
export interface Message {
  kind: "info" | "ok" | "warn" | "stop";
  code: string;
  text: string;
  parts: readonly Part[];
  offers: readonly Offer[];
}

/** How long a note may be, in characters. */
export const LONGEST_TEXT = 2000;

const MARKED_UP = /(\[\[.*?\]\]|\*\*[^*]+\*\*|`[^`]+`)/;

/** The line may have **strong**, `key` and [[a sentence about keys]]. */
export function message(kind: Message["kind"], code: string, line: string, offers: readonly Offer[] = []): Message {
  return { kind, code, text: line.replace(/\[\[|\]\]|\*\*|`/g, ""), parts: partsOf(line), offers };
}

export const partsOf = (line: string): Part[] => line.split(MARKED_UP).filter((piece) => piece !== "").map(partOf);

function partOf(piece: string): Part {
  if (piece.startsWith("[[")) return { style: "keys", text: piece.slice(2, -2) };
  if (piece.startsWith("**")) return { style: "strong", text: piece.slice(2, -2) };
  return piece.startsWith("`") ? { style: "key", text: piece.slice(1, -1) } : { style: "plain", text: piece };
}

/** Messages that are always the same, by their codes: the kind and the line of each. */
export const sayings =
  <Code extends string>(lines: Readonly<Record<Code, readonly [Message["kind"], string]>>) =>
  (code: Code) =>
    message(lines[code][0], code, lines[code][1]);

export const sharedMessage = sayings({
  nothing_to_undo: ["info", "Nothing to undo."],
  nothing_to_redo: ["info", "Nothing to redo."],
  no_errors_off: ["info", "“No errors” removed."],
  offline: ["stop", "Not submitted: you are offline. Your draft is kept on this device."],
  no_reason: ["stop", "Refused: choose a reason."],
  flagged: ["ok", "Flagged. You can keep annotating."],
  unflagged: ["ok", "Flag removed."],
  note: ["ok", "Note saved."],
  taken: ["ok", "Other version loaded. Undo restores yours."],
});

const marksInNumber = (marks: number) => (marks === 1 ? "1 mark" : `${marks} marks`);

/** `cleared` is a number of marks. */
export const noErrorsMessage = (on: boolean, cleared = 0) =>
  on
    ? message("ok", "no_errors", `${cleared ? `${marksInNumber(cleared)} cleared. ` : ""}No errors in this image.`)
    : sharedMessage("no_errors_off");

/** Given are the number of the image in the queue, and what became of it. */
export const submittedMessage = ({ number, skipped = false }: { number: number; skipped?: boolean }) =>
  message("ok", skipped ? "skipped" : "submitted", `Image ${number} ${skipped ? "skipped" : "submitted"}.`, [
    { label: "Undo", key: "Ctrl Z", action: { type: "undo" } },
  ]);

export const longTextMessage = (characters: number, limit: number = LONGEST_TEXT) =>
  message("stop", "long_text", `Refused: ${characters} characters; the limit is ${limit}.`);

export const taggedMessage = (name: string, on: boolean) =>
  on ? message("ok", "tagged", `Tagged: ${name}.`) : message("ok", "untagged", `Tag removed: ${name}.`);
