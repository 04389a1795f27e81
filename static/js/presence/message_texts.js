// The texts of the message line for the presence protocol.

import { message } from "../labelling/messages.js";
import { CELLS } from "../labelling/taxonomy.js";
import { inWords } from "./answer.js";

/** @import { Offer } from "../labelling/messages.js" */
/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */

/** @param {string} label @param {string} key @param {object} action @returns {Offer} */
const offer = (label, key, action) => ({ label, key, action: /** @type {any} */ (action) });

export const arrivalMessage = () =>
  message("info", "arrival", "Judge at first glance.[[ `Space` marks a cell, `U` marks it as unsure, arrow keys go to another.]]");

/** @param {number} answered */
export const guidedMessage = (answered) =>
  answered < CELLS.length
    ? message("info", "guided", `Do you see this error?[[ \`Y\` yes, \`N\` no.]] ${answered} of ${CELLS.length} answered.`)
    : message("info", "all_answered", "All 25 cells answered.[[ `Ctrl Enter` submits.]]");

/** @param {Answer} answer @param {Readonly<Cell>} cell */
export const cellMessage = (answer, cell) => message("ok", "marks", `${cell.title}: ${inWords(answer, cell) || "not marked"}`);

/** @param {number} marked */
export const clearMarksMessage = (marked) =>
  message("stop", "no_errors_over_marks", marked === 1 ? "Clear the mark?" : `Clear the ${marked} marks?`, [
    offer("Clear marks, set “No errors”", "Enter", { type: "clear" }),
  ]);

export const emptyMessage = () =>
  message("stop", "empty", "Not submitted: mark a cell, or choose “No errors”.", [
    offer("No errors", "0", { type: "no_errors" }),
    offer("Flag or skip", "S", { type: "open", dialog: "flag" }),
  ]);

/** @param {number} left @param {Readonly<Cell>} cell */
export const unansweredMessage = (left, cell) =>
  message("stop", "unanswered", `Not submitted: ${left === 1 ? `${cell.title} is` : `${left} cells, from ${cell.title} on, are`} unanswered. Press \`Y\` or \`N\`.`);

/** @param {"Undone" | "Redone"} done @param {Answer} answer @param {Readonly<Cell> | null} cell */
export const steppedMessage = (done, answer, cell) =>
  message("ok", done.toLowerCase(), cell ? `${done}. ${cell.title}: ${inWords(answer, cell) || "not marked"}` : `${done}.`);
