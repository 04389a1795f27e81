// One annotation of one image: which of the 25 cells have an error. Values are immutable: a change returns a new one.

import { type Difference, differing, remarkRows } from "../labelling/comparison.ts";
import { type Cell, cellAt, CELLS } from "../labelling/taxonomy.ts";
import type { Remarks } from "../labelling/remarks.ts";

export interface Answer extends Remarks {
  marked: readonly Cell[]; // in published order
  unsure: readonly Cell[]; // the marked cells that are unsure
}

export type Payload = ReturnType<typeof toPayload>;

export const toPayload = ({ marked, unsure, noErrors, flag, tags, note }: Answer) => ({
  cells: marked.map(({ key }) => key),
  no_errors: noErrors,
  unsure: unsure.map(({ key }) => key),
  flag: flag && { reason: flag.reason, note: flag.note },
  ...(tags.length ? { tags } : {}),
  note,
});

/** Reads a payload that the server has accepted. */
export const fromPayload = (
  { cells = [], unsure = [], no_errors: noErrors = false, flag = null, tags = [], note = "" }: Partial<Payload>,
): Answer => ({
  marked: inOrder(cells.map((key) => cellAt(key))),
  unsure: inOrder(unsure.map((key) => cellAt(key))),
  noErrors,
  flag: flag && { reason: flag.reason, note: flag.note },
  tags,
  note,
});

/** The annotation with a cell marked or not. Marking clears "no errors"; unmarking clears "unsure". */
export const withMark = (answer: Answer, cell: Cell, on: boolean): Answer => ({
  ...answer,
  marked: withCell(answer.marked, cell, on),
  unsure: on ? answer.unsure : withCell(answer.unsure, cell, false),
  noErrors: answer.noErrors && !on,
});

/** The annotation with a cell unsure or not. An unsure cell is also marked. */
export const withDoubt = (answer: Answer, cell: Cell, on: boolean): Answer => {
  const marked = on ? withMark(answer, cell, true) : answer;
  return { ...marked, unsure: withCell(marked.unsure, cell, on) };
};

/** The differences, in the order of the page. An empty text means no entry on that side. */
export function differencesBetween(mine: Answer, theirs: Answer): Difference[] {
  return differing(rowsOf(mine), rowsOf(theirs));
}

/** The same rows for every annotation. */
const rowsOf = (answer: Answer): [string, string][] => [
  ...CELLS.map((cell) => [cell.title, inWords(answer, cell)] as [string, string]),
  ["No errors", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

export function inWords({ marked, unsure }: Answer, cell: Cell) {
  if (!marked.includes(cell)) return "";
  return unsure.includes(cell) ? "marked, unsure" : "marked";
}

/** "6 of 25 marked, 1 unsure" */
export const counted = ({ marked, unsure }: Answer) =>
  `${marked.length} of ${CELLS.length} marked${unsure.length ? `, ${unsure.length} unsure` : ""}`;

const inOrder = (cells: readonly Cell[]) => CELLS.filter((cell) => cells.includes(cell));

const withCell = (cells: readonly Cell[], cell: Cell, on: boolean) =>
  CELLS.filter((each) => (each === cell ? on : cells.includes(each)));
