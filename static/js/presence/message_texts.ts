// The texts of the message line for the presence protocol.

import { message, type Offer } from "../labelling/messages.ts";
import { type Cell, CELLS } from "../labelling/taxonomy.ts";
import { type Answer, inWords } from "./answer.ts";

const offer = (label: string, key: string, action: object): Offer => ({ label, key, action: action as any });

export const arrivalMessage = () =>
  message("info", "arrival", "Judge at first glance.[[ `Space` marks a cell, `U` marks it as unsure, arrow keys go to another.]]");

export const guidedMessage = (answered: number) =>
  answered < CELLS.length
    ? message("info", "guided", `Do you see this error?[[ \`Y\` yes, \`N\` no.]] ${answered} of ${CELLS.length} answered.`)
    : message("info", "all_answered", "All 25 cells answered.[[ `Ctrl Enter` submits.]]");

export const cellMessage = (answer: Answer, cell: Readonly<Cell>) =>
  message("ok", "marks", `${cell.title}: ${inWords(answer, cell) || "not marked"}`);

export const clearMarksMessage = (marked: number) =>
  message("stop", "no_errors_over_marks", marked === 1 ? "Clear the mark?" : `Clear the ${marked} marks?`, [
    offer("Clear marks, set “No errors”", "Enter", { type: "clear" }),
  ]);

export const emptyMessage = () =>
  message("stop", "empty", "Not submitted: mark a cell, or choose “No errors”.", [
    offer("No errors", "0", { type: "no_errors" }),
    offer("Flag or skip", "S", { type: "open", dialog: "flag" }),
  ]);

export const unansweredMessage = (left: number, cell: Readonly<Cell>) =>
  message("stop", "unanswered", `Not submitted: ${left === 1 ? `${cell.title} is` : `${left} cells, from ${cell.title} on, are`} unanswered. Press \`Y\` or \`N\`.`);

export const steppedMessage = (done: "Undone" | "Redone", answer: Answer, cell: Readonly<Cell> | null) =>
  message("ok", done.toLowerCase(), cell ? `${done}. ${cell.title}: ${inWords(answer, cell) || "not marked"}` : `${done}.`);
