// Two versions of one annotation, side by side.

import { type Difference, differing, remarkRows } from "../labelling/comparison.ts";
import { BODY_PARTS, CELLS, COUNT_KINDS, titled } from "../labelling/taxonomy.ts";
import { type Answer, marksIn } from "./answer.ts";
import { marksInWords } from "./message_texts.ts";

/** The differences, in the order of the page. An empty text means no entry on that side. */
export function differencesBetween(mine: Answer, theirs: Answer): Difference[] {
  return differing(rowsOf(mine), rowsOf(theirs));
}

/** Returns the same rows for every annotation. */
const rowsOf = (answer: Answer): [string, string][] => [
  ["People", String(answer.people ?? "")],
  ...COUNT_KINDS.flatMap((kind) =>
    BODY_PARTS.map((part) => {
      const count = answer.counts[kind][part];
      return [
        `${titled(part)}, ${kind}`,
        count ? `${count.value}${count.set ? "" : " (guess)"}` : "",
      ] as [string, string];
    }),
  ),
  ...CELLS.map((cell) => [cell.title, cellText(answer, cell)] as [string, string]),
  ...BODY_PARTS.map((part) => [`${titled(part)}, dots`, dotsText(answer, part)] as [string, string]),
  ["No errors", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

function dotsText({ dots }: Answer, part: (typeof BODY_PARTS)[number]) {
  const found = dots[part] ?? [];
  return found.length ? `${found.length}: ${found.map(({ x, y }) => `${x}, ${y}`).join("; ")}` : "";
}

function cellText(answer: Answer, cell: (typeof CELLS)[number]) {
  const marks = marksIn(answer, cell);
  const pins = marks.flatMap((mark) => mark.pins.map(({ x, y }) => `${mark.severity} ${x}, ${y}`));
  return marksInWords(answer, marks) + (pins.length ? `; pins: ${pins.join("; ")}` : "");
}
