// One annotation of one image: which of the 25 cells have an error. Values are immutable: a change returns a new one.

import { differing, remarkRows } from "../labelling/comparison.js";
import { CELLS, cellAt } from "../labelling/taxonomy.js";

/** @import { Difference } from "../labelling/comparison.js" */
/** @import { Cell } from "../labelling/taxonomy.js" */

/**
 * @typedef {object} Answer
 * @property {readonly Readonly<Cell>[]} marked in published order
 * @property {readonly Readonly<Cell>[]} unsure the marked cells that are unsure
 * @property {boolean} noErrors
 * @property {{readonly reason: string, readonly note: string} | null} flag
 * @property {readonly number[]} tags
 * @property {string} note
 */

/**
 * @typedef {object} Payload
 * @property {string[]} cells
 * @property {boolean} no_errors
 * @property {string[]} unsure
 * @property {{reason: string, note: string} | null} flag
 * @property {readonly number[]} [tags]
 * @property {string} note
 */

/** @param {Answer} answer @returns {Payload} */
export const toPayload = ({ marked, unsure, noErrors, flag, tags, note }) => ({
  cells: marked.map(({ key }) => key),
  no_errors: noErrors,
  unsure: unsure.map(({ key }) => key),
  flag: flag && { reason: flag.reason, note: flag.note },
  ...(tags.length ? { tags } : {}),
  note,
});

/**
 * Reads a payload that the server has accepted.
 * @param {Partial<Payload>} payload
 * @returns {Answer}
 */
export const fromPayload = ({ cells = [], unsure = [], no_errors: noErrors = false, flag = null, tags = [], note = "" }) => ({
  marked: inOrder(cells.map((key) => cellAt(key))),
  unsure: inOrder(unsure.map((key) => cellAt(key))),
  noErrors,
  flag: flag && { reason: flag.reason, note: flag.note },
  tags,
  note,
});

/**
 * The annotation with a cell marked or not. Marking clears "no errors"; unmarking clears "unsure".
 * @param {Answer} answer
 * @param {Readonly<Cell>} cell
 * @param {boolean} on
 * @returns {Answer}
 */
export const withMark = (answer, cell, on) => ({
  ...answer,
  marked: withCell(answer.marked, cell, on),
  unsure: on ? answer.unsure : withCell(answer.unsure, cell, false),
  noErrors: answer.noErrors && !on,
});

/**
 * The annotation with a cell unsure or not. An unsure cell is also marked.
 * @param {Answer} answer
 * @param {Readonly<Cell>} cell
 * @param {boolean} on
 * @returns {Answer}
 */
export const withDoubt = (answer, cell, on) => {
  const marked = on ? withMark(answer, cell, true) : answer;
  return { ...marked, unsure: withCell(marked.unsure, cell, on) };
};

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
  ...CELLS.map((cell) => /** @type {[string, string]} */ ([cell.title, inWords(answer, cell)])),
  ["No errors", answer.noErrors ? "yes" : ""],
  ...remarkRows(answer),
];

/**
 * @param {Answer} answer
 * @param {Readonly<Cell>} cell
 */
export function inWords({ marked, unsure }, cell) {
  if (!marked.includes(cell)) return "";
  return unsure.includes(cell) ? "marked, unsure" : "marked";
}

/** @param {Answer} answer "6 of 25 marked, 1 unsure" */
export const counted = ({ marked, unsure }) =>
  `${marked.length} of ${CELLS.length} marked${unsure.length ? `, ${unsure.length} unsure` : ""}`;

/** @param {readonly Readonly<Cell>[]} cells */
const inOrder = (cells) => CELLS.filter((cell) => cells.includes(cell));

/** @param {readonly Readonly<Cell>[]} cells @param {Readonly<Cell>} cell @param {boolean} on */
const withCell = (cells, cell, on) => CELLS.filter((each) => (each === cell ? on : cells.includes(each)));
