// Accessible names. Each begins with the text that is visible.

import { partsInWords, pluralOf, SEVERITY_TITLES, titled } from "../labelling/taxonomy.js";
import { countOf, markAt, marksIn, totalOf } from "./answer.js";
import { countWarningIn, openWarningsIn } from "./warnings.js";

/** @import { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */

/**
 * "Configuration, Hands: 1 of 3 moderate, 1 of 3 severe. Check: …"
 * @param {Answer} answer
 * @param {Cell} cell
 */
export function cellName(answer, cell) {
  const marks = marksIn(answer, cell).map((mark) => {
    const pins =
      mark.pins.length === 0 ? "" : mark.pins.length === 1 ? ", 1 pin" : `, ${mark.pins.length} pins`;
    return `${mark.affected} of ${totalOf(answer, mark) ?? "?"} ${SEVERITY_TITLES[mark.severity]}${pins}`;
  });
  const warnings = openWarningsIn(answer, cell).map(({ text }) => text);
  const check = warnings.length ? `. Check: ${warnings.join(" ")}` : "";
  return `${titled(cell.type)}, ${titled(cell.part)}: ${marks.join(", ") || "empty"}${check}`;
}

/**
 * "1 /3 c severe, add one", or "c severe, add one" if there is no mark.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 */
export function zoneName(answer, cell, severity) {
  const mark = markAt(answer, cell, severity);
  const seen = mark ? `${mark.affected} /${totalOf(answer, mark) ?? "?"} ` : "";
  return `${seen}${severity} ${SEVERITY_TITLES[severity]}, add one`;
}

/**
 * "3 visible hands, guess, change"
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 */
export function countName(answer, kind, part) {
  const warning = countWarningIn(answer, kind, part);
  return `${knownCount(answer, kind, part)}, change${warning ? `. Check: ${warning.text}` : ""}`;
}

/**
 * "+ one more, 3 visible hands, guess"
 * @param {Answer} answer
 * @param {CountKind} kind
 * @param {BodyPart} part
 * @param {1 | -1} by
 */
export const countStepName = (answer, kind, part, by) =>
  `${by > 0 ? "+ one more" : "− one fewer"}, ${knownCount(answer, kind, part)}`;

/** @param {Answer} answer @param {CountKind} kind @param {BodyPart} part */
function knownCount(answer, kind, part) {
  const count = countOf(answer, kind, part);
  // The name begins with what the button shows.
  const known = count === null ? `–, ${kind} ${pluralOf(part)}` : partsInWords(count, part, kind);
  return `${known}${count !== null && !answer.counts[kind][part]?.set ? ", guess" : ""}`;
}

/**
 * "c, pin 1 of 2 on Configuration · Hands"
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} index
 * @param {number} pins
 */
export const pinName = (cell, severity, index, pins) =>
  `${severity}, pin ${index + 1} of ${pins} on ${cell.title}`;
