// Two versions of one annotation, side by side.

import { differing, remarkRows } from "../labelling/comparison.js";
import { BODY_PARTS, CELLS, COUNT_KINDS, titled } from "../labelling/taxonomy.js";
import { marksIn } from "./answer.js";
import { marksInWords } from "./message_texts.js";

/** @import { Difference } from "../labelling/comparison.js" */
/** @import { Answer } from "./answer.js" */

/**
 * The differences, in the order of the page. An empty text means no entry on that side.
 * @param {Answer} mine
 * @param {Answer} theirs
 * @returns {Difference[]}
 */
export function differencesBetween(mine, theirs) {
  return differing(rowsOf(mine), rowsOf(theirs));
}

/** @param {Answer} answer @returns {[string, string][]} the same rows for every annotation */
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
  ...BODY_PARTS.map((part) => /** @type {[string, string]} */ ([`${titled(part)}, dots`, dotsText(answer, part)])),
  ["No errors", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

/** @param {Answer} answer @param {(typeof BODY_PARTS)[number]} part */
function dotsText({ dots }, part) {
  const found = dots[part] ?? [];
  return found.length ? `${found.length}: ${found.map(({ x, y }) => `${x}, ${y}`).join("; ")}` : "";
}

/** @param {Answer} answer @param {(typeof CELLS)[number]} cell */
function cellText(answer, cell) {
  const marks = marksIn(answer, cell);
  const pins = marks.flatMap((mark) => mark.pins.map(({ x, y }) => `${mark.severity} ${x}, ${y}`));
  return marksInWords(answer, marks) + (pins.length ? `; pins: ${pins.join("; ")}` : "");
}
