// The state of the page for one image, and the changes to it.

import { submittedMessage } from "../labelling/messages.js";
import { CELLS } from "../labelling/taxonomy.js";
import { markAt } from "./answer.js";
import { arrivalMessage, cellMessage, countingMessage } from "./message_texts.js";
import { fromPayload } from "./payload.js";
import { excessIn, excessName } from "./warnings.js";

/** @import { Effect, MarkName } from "../labelling/actions.js" */
/** @import { Message } from "../labelling/messages.js" */
/** @import { Cell, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer, Pin } from "./answer.js" */
/** @import { Payload } from "./payload.js" */
/** @import { Suggestion } from "./suggestions.js" */
/** @import { Entry } from "./typed_entry.js" */

/**
 * Where the focus is: on People, the current cell, one of its pins, or another control.
 * @typedef {(
 *   {readonly at: "people" | "cell" | "elsewhere"}
 *   | {readonly at: "pin", readonly severity: Severity, readonly index: number}
 * )} Place
 */

/**
 * A step of the history: the other version of the annotation, and the cell of the change.
 * @typedef {{readonly answer: Answer, readonly cell: Readonly<Cell> | null}} Step
 */

/**
 * @typedef {object} State
 * @property {Answer} answer as saved and sent
 * @property {Place} place
 * @property {Readonly<Cell>} cell the current cell, outlined even while the focus is elsewhere
 * @property {Entry | null} typed the unfinished entry, shown in a bubble on the current cell
 * @property {(MarkName & {readonly x: number, readonly y: number}) | null} pinning the mark and the cross of pin mode
 * @property {{readonly cross: Pin | null} | null} counting by dots, of the current row; the cross is shown after a key
 * @property {readonly MarkName[]} touched the marks last touched, latest first, one per cell
 * @property {Message} message a new object for each message, even with the same text
 * @property {readonly Step[]} past
 * @property {readonly Step[]} future
 * @property {Suggestion | null} [suggestion] shown in grey; undefined if the batch shows none. It is no part of the annotation
 * @property {boolean} guided Enter goes through the cells in the prescribed order
 */

/**
 * The change that an action makes. By default, the annotation, the focus and the touched marks stay; the unfinished
 * entry and pin mode end, counting goes on; the line shows the message of the current cell; and a changed annotation becomes a step of the
 * history.
 * @typedef {object} Change
 * @property {Answer} [answer]
 * @property {Place} [place]
 * @property {Readonly<Cell>} [cell]
 * @property {Entry | null} [typed]
 * @property {State["pinning"]} [pinning]
 * @property {State["counting"]} [counting]
 * @property {MarkName} [touched]
 * @property {Message} [message]
 * @property {readonly Effect[]} [effects]
 * @property {Readonly<Cell> | null} [where] the cell of the change, to which undo returns
 * @property {{past: readonly Step[], future: readonly Step[]}} [history]
 */

/**
 * The initial state of the page for an image, with the focus on People.
 * @param {Partial<Payload>} payload an empty object for an untouched image
 * @param {{guided?: boolean, submitted?: {number: number, skipped?: boolean} | null, confirmed?: readonly string[], suggestion?: Suggestion | null}} [options]
 *   `submitted`: the image submitted just before; `confirmed`: the cells confirmed in the stored draft
 * @returns {State}
 */
export const openState = (payload, { guided = false, submitted = null, confirmed = [], suggestion } = {}) => ({
  answer: confirmedAgain(fromPayload(payload), confirmed),
  place: { at: "people" },
  cell: /** @type {Readonly<Cell>} */ (CELLS[0]),
  typed: null,
  pinning: null,
  counting: null,
  touched: [],
  message: submitted ? submittedMessage(submitted) : arrivalMessage(),
  past: [],
  future: [],
  ...(suggestion === undefined ? {} : { suggestion }),
  guided,
});

/** @param {Answer} answer @param {readonly string[]} keys of cells @returns {Answer} */
function confirmedAgain(answer, keys) {
  const confirmed = CELLS.filter(({ key }) => keys.includes(key)).flatMap((cell) => {
    const excess = excessIn(answer, cell);
    return excess ? [excessName(cell, excess)] : [];
  });
  return { ...answer, confirmed };
}

/**
 * The existing mark last touched, in this cell if one is given.
 * @param {State} state
 * @param {Cell} [cell]
 * @returns {MarkName | null}
 */
export const lastTouched = ({ answer, touched }, cell) =>
  touched.find((mark) => (!cell || mark.cell === cell) && markAt(answer, mark.cell, mark.severity)) ?? null;

/**
 * The message when there is nothing else to report.
 * @param {State} state
 */
export function restingMessage({ answer, counting, place, cell }) {
  if (counting) return countingMessage(answer, cell.part);
  return place.at === "people" && answer.people === null ? arrivalMessage() : cellMessage(answer, cell);
}
