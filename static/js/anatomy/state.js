// The state of one image's page, the actions on it, and their effects.

import { markAt } from "./answer.js";
import { arrivalMessage, cellMessage, submittedMessage } from "./message_texts.js";
import { fromPayload } from "./payload.js";
import { CELLS } from "../labelling/taxonomy.js";
import { excessIn, excessName } from "./warnings.js";

/** @import { Answer } from "./answer.js" */
/** @import { Entry } from "./typed_entry.js" */
/** @import { Message } from "./message_texts.js" */
/** @import { Payload } from "./payload.js" */
/** @import { BodyPart, Cell, CountKind, ErrorType, FlagReason, Severity } from "../labelling/taxonomy.js" */

/** @typedef {{readonly cell: Readonly<Cell>, readonly severity: Severity}} MarkName */

/**
 * Where the focus is: on People, the current cell, one of its pins, or another control.
 * @typedef {(
 *   {readonly at: "people" | "cell" | "elsewhere"}
 *   | {readonly at: "pin", readonly severity: Severity, readonly index: number}
 * )} Place
 */

/**
 * A step of the history: the other answer, and the cell of the change.
 * @typedef {{readonly answer: Answer, readonly cell: Readonly<Cell> | null}} Step
 */

/**
 * @typedef {object} State
 * @property {Answer} answer as saved and sent
 * @property {Place} place
 * @property {Readonly<Cell>} cell the current cell, outlined even while the focus is elsewhere
 * @property {Entry | null} typed the unfinished entry, shown in a bubble on the current cell
 * @property {(MarkName & {readonly x: number, readonly y: number}) | null} pinning pin mode: its mark, its cross
 * @property {readonly MarkName[]} touched marks last touched, the latest first, one per cell
 * @property {Message} message a new object for each message, even with the same text
 * @property {readonly Step[]} past
 * @property {readonly Step[]} future
 * @property {boolean} guided Enter walks the cells in the prescribed order
 */

/** @typedef {"note" | "flag" | "ask" | "help" | "guideline" | "settings"} DialogName */

/**
 * Key actions, whose meaning depends on the focus, then actions that name their object.
 * @typedef {(
 *   {type: "digit", digit: number} | {type: "slash"} | {type: "severity", severity: Severity, off: boolean}
 *   | {type: "step", by: 1 | -1} | {type: "arrow", right: number, down: number, far: boolean}
 *   | {type: "column", errorType: ErrorType} | {type: "row", part: BodyPart} | {type: "edge", last: boolean}
 *   | {type: "backspace"} | {type: "delete"} | {type: "enter"} | {type: "escape"} | {type: "walk", by: 1 | -1}
 *   | {type: "focus.people"} | {type: "focus.cell", cell: Readonly<Cell>} | {type: "focus.away"}
 *   | {type: "focus.pin", cell: Readonly<Cell>, severity: Severity, index: number}
 *   | {type: "people.set", people: number}
 *   | {type: "mark.add", cell: Readonly<Cell>, severity: Severity, by: number}
 *   | {type: "mark.put", cell: Readonly<Cell>, severity: Severity, affected: number, total?: number}
 *   | {type: "mark.total", cell: Readonly<Cell>, severity: Severity, total: number}
 *   | {type: "cell.empty", cell: Readonly<Cell>}
 *   | {type: "count.step", kind: CountKind, part: BodyPart, by: 1 | -1}
 *   | {type: "count.set", kind: CountKind, part: BodyPart, count: number}
 *   | {type: "count.raise", cell: Readonly<Cell>, severity: Severity, affected: number}
 *   | {type: "pin.mode", mark?: MarkName} | {type: "pin.add", x: number, y: number}
 *   | {type: "pin.remove", cell: Readonly<Cell>, severity: Severity, index: number}
 *   | {type: "zoom", by?: number} | {type: "yes"} | {type: "excess.correct", cell: Readonly<Cell>}
 *   | {type: "excess.confirm", cell: Readonly<Cell>, submit: boolean}
 *   | {type: "no_errors", clear?: boolean} | {type: "note", note: string} | {type: "unflag"}
 *   | {type: "flag", reason: string, note: string} | {type: "skip", reason: string, note: string}
 *   | {type: "undo"} | {type: "redo"} | {type: "submit", offline?: boolean} | {type: "take", payload: Partial<Payload>}
 *   | {type: "navigate", by: 1 | -1} | {type: "open", dialog: DialogName} | {type: "close"} | {type: "confirm"}
 *   | {type: "choose", reason: FlagReason}
 * )} Action
 */

/**
 * save: the answer changed. focus: move the focus to `place`. withdraw: undo the last submission. again: act
 * once more. All others are passed on to the controller.
 * @typedef {(
 *   {type: "save"} | {type: "focus"} | {type: "withdraw"} | {type: "submit"} | {type: "zoom", by?: number} | {type: "again", action: Action}
 *   | {type: "navigate", by: 1 | -1} | {type: "open", dialog: DialogName} | {type: "close"} | {type: "confirm"}
 *   | {type: "choose", reason: FlagReason} | {type: "skip", reason: FlagReason, note: string}
 * )} Effect
 */

/**
 * The change an action makes. By default the answer, the focus and the touched marks stay, the unfinished
 * entry and pin mode end, the line shows the current cell's message, and a changed answer becomes a step of
 * the history.
 * @typedef {object} Change
 * @property {Answer} [answer]
 * @property {Place} [place]
 * @property {Readonly<Cell>} [cell]
 * @property {Entry | null} [typed]
 * @property {State["pinning"]} [pinning]
 * @property {MarkName} [touched]
 * @property {Message} [message]
 * @property {readonly Effect[]} [effects]
 * @property {Readonly<Cell> | null} [where] the cell of the change, to which undo returns
 * @property {{past: readonly Step[], future: readonly Step[]}} [history]
 */

/**
 * The initial state of an image's page, with the focus on People.
 * @param {Partial<Payload>} payload an empty object for an untouched image
 * @param {{guided?: boolean, submitted?: {number: number} | null, confirmed?: readonly string[]}} [options]
 *   `submitted`: the image submitted just before; `confirmed`: the cells confirmed in the stored draft
 * @returns {State}
 */
export const openState = (payload, { guided = false, submitted = null, confirmed = [] } = {}) => ({
  answer: confirmedAgain(fromPayload(payload), confirmed),
  place: { at: "people" },
  cell: /** @type {Readonly<Cell>} */ (CELLS[0]),
  typed: null,
  pinning: null,
  touched: [],
  message: submitted ? submittedMessage(submitted.number) : arrivalMessage(),
  past: [],
  future: [],
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
 * The existing mark last touched, of this cell if one is given.
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
export const restingMessage = ({ answer, place, cell }) =>
  place.at === "people" && answer.people === null ? arrivalMessage() : cellMessage(answer, cell);
