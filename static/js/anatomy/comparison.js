// Two versions of one annotation, side by side.

import { marksIn } from "./answer.js";
import { marksInWords } from "./message_texts.js";
import { BODY_PARTS, CELLS, COUNT_KINDS, FLAG_REASONS, titled } from "../labelling/taxonomy.js";

/** @import { Answer } from "./answer.js" */

/** @typedef {{what: string, mine: string, theirs: string}} Difference */

/**
 * The differences, in the order of the page; an empty text means no entry on that side.
 * @param {Answer} mine
 * @param {Answer} theirs
 * @returns {Difference[]}
 */
export function differencesBetween(mine, theirs) {
  const [left, right] = [rowsOf(mine), rowsOf(theirs)];
  return left
    .map(([what, text], row) => ({ what, mine: text, theirs: right[row]?.[1] ?? "" }))
    .filter((difference) => difference.mine !== difference.theirs);
}

/** @param {Answer} answer @returns {[string, string][]} the same rows for every answer */
const rowsOf = (answer) => [
  ["People", String(answer.people ?? "")],
  ...COUNT_KINDS.flatMap((kind) =>
    BODY_PARTS.map((part) => {
      const count = answer.counts[kind][part];
      return /** @type {[string, string]} */ ([
        `${titled(part)}, ${kind}`,
        count ? `${count.value}${count.set ? "" : " (guess)"}` : "",
      ]);
    }),
  ),
  ...CELLS.map((cell) => /** @type {[string, string]} */ ([cell.title, cellText(answer, cell)])),
  ["No errors", answer.noErrors ? "yes" : ""],
  ["Flag", flagText(answer)],
  ["Note", answer.note],
];

/** @param {Answer} answer @param {(typeof CELLS)[number]} cell */
function cellText(answer, cell) {
  const marks = marksIn(answer, cell);
  const pins = marks.flatMap((mark) => mark.pins.map(({ x, y }) => `${mark.severity} ${x}, ${y}`));
  return marksInWords(answer, marks) + (pins.length ? `; pins: ${pins.join("; ")}` : "");
}

/** @param {Answer} answer */
function flagText({ flag }) {
  if (!flag) return "";
  const title = FLAG_REASONS.find(({ code }) => code === flag.reason)?.title ?? flag.reason;
  return flag.note ? `${title}: ${flag.note}` : title;
}
