// Accessible names. Each begins with the text that is visible.

import { partsInWords, pluralOf, SEVERITY_TITLES, titled } from "../labelling/taxonomy.ts";
import type { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.ts";
import { type Answer, countOf, markAt, marksIn, totalOf } from "./answer.ts";
import { countWarningIn, openWarningsIn } from "./warnings.ts";

/** "Configuration, Hands: 1 of 3 moderate, 1 of 3 severe. Check: …" */
export function cellName(answer: Answer, cell: Cell) {
  const marks = marksIn(answer, cell).map((mark) => {
    const pins = mark.pins.length === 0 ? "" : mark.pins.length === 1 ? ", 1 pin" : `, ${mark.pins.length} pins`;
    return `${mark.affected} of ${totalOf(answer, mark) ?? "?"} ${SEVERITY_TITLES[mark.severity]}${pins}`;
  });
  const warnings = openWarningsIn(answer, cell).map(({ text }) => text);
  const check = warnings.length ? `. Check: ${warnings.join(" ")}` : "";
  return `${titled(cell.type)}, ${titled(cell.part)}: ${marks.join(", ") || "empty"}${check}`;
}

/** "1/3c severe, add one", or "c severe, add one" if there is no mark. */
export function zoneName(answer: Answer, cell: Cell, severity: Severity) {
  const mark = markAt(answer, cell, severity);
  const seen = mark ? `${mark.affected}/${totalOf(answer, mark) ?? "?"}` : "";
  return `${seen}${severity} ${SEVERITY_TITLES[severity]}, add one`;
}

/** "3 visible hands, guess, change" */
export function countName(answer: Answer, kind: CountKind, part: BodyPart) {
  const warning = countWarningIn(answer, kind, part);
  return `${knownCount(answer, kind, part)}, change${warning ? `. Check: ${warning.text}` : ""}`;
}

/** "+ one more, 3 visible hands, guess" */
export const countStepName = (answer: Answer, kind: CountKind, part: BodyPart, by: 1 | -1) =>
  `${by > 0 ? "+ one more" : "− one fewer"}, ${knownCount(answer, kind, part)}`;

function knownCount(answer: Answer, kind: CountKind, part: BodyPart) {
  const count = countOf(answer, kind, part);
  // The name begins with what the button shows.
  const known = count === null ? `–, ${kind} ${pluralOf(part)}` : partsInWords(count, part, kind);
  return `${known}${count !== null && !answer.counts[kind][part]?.set ? ", guess" : ""}`;
}

/** "c, pin 1 of 2 on Configuration · Hands" */
export const pinName = (cell: Cell, severity: Severity, index: number, pins: number) =>
  `${severity}, pin ${index + 1} of ${pins} on ${cell.title}`;
