// Enter, change and remove marks, and determine the total of each.

import { pluralOf } from "../labelling/taxonomy.js";
import { countOf, markAt, totalOf, withMark, withoutMark } from "./answer.js";
import { countRefusal, improbable, isWithin, totalBecomesCount, withCount } from "./counts.js";
import { aboveTotalMessage, marksMessage, rangeMessage, totalZeroMessage } from "./message_texts.js";

/** @import { Action } from "../labelling/actions.js" */
/** @import { Cell, Severity } from "../labelling/taxonomy.js" */
/** @import { Answer, Mark } from "./answer.js" */
/** @import { Outcome } from "./counts.js" */

/** @param {Answer} answer @param {Cell} cell @param {boolean} [countSet] @returns {Outcome} */
const entered = (answer, cell, countSet = false) => ({
  answer,
  message: marksMessage(answer, cell, countSet),
});

/** @param {Answer} answer @param {Cell} cell @param {Severity} severity @returns {Mark} */
const markOrNew = (answer, cell, severity) =>
  markAt(answer, cell, severity) ?? { cell, severity, affected: 0, ownTotal: null, pins: [] };

/**
 * Sets a mark to `affected` parts of this severity and keeps its total. 0 removes the mark.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} affected
 * @returns {Outcome}
 */
export function putMark(answer, cell, severity, affected) {
  if (!isWithin(affected, 0)) return { answer, message: rangeMessage(0) };
  if (affected === 0) return entered(withoutMark(answer, cell, severity), cell);
  const mark = markOrNew(answer, cell, severity);
  const total = totalOf(answer, mark);
  if (total === 0) return { answer, message: totalZeroMessage(cell.kind) };
  if (total !== null && affected > total) return refusedAbove(answer, { ...mark, affected }, total);
  return entered(withMark(answer, { ...mark, affected }), cell);
}

/**
 * Sets a mark with a typed total. The mark uses the count if both are equal, sets the count if it is free, and
 * otherwise keeps the total as its own. No other mark changes.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} affected
 * @param {number} total
 * @returns {Outcome}
 */
export function putMarkOutOf(answer, cell, severity, affected, total) {
  if (!isWithin(affected, 0) || !isWithin(total, 0)) return { answer, message: rangeMessage(0) };
  if (affected === 0) return entered(withoutMark(answer, cell, severity), cell);
  if (total === 0) return { answer, message: totalZeroMessage(cell.kind) };
  const { kind, part } = cell;
  const relying = { ...markOrNew(answer, cell, severity), affected, ownTotal: null };
  if (affected > total) return refusedAbove(answer, { ...relying, ownTotal: total }, total);
  if (total === countOf(answer, kind, part)) return entered(withMark(answer, relying), cell);
  const others = withoutMark(answer, cell, severity);
  if (totalBecomesCount(others, kind, part, total)) {
    const outcome = entered(withMark(withCount(others, kind, part, total), relying), cell, true);
    const question = outcome.message.kind === "ok" ? improbable(answer, outcome.answer, kind, part) : null;
    return question ? { ...outcome, message: question } : outcome;
  }
  return entered(withMark(answer, { ...relying, ownTotal: total }), cell);
}

/**
 * Sets the total of this mark only, whatever the count is. Does nothing if there is no mark.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} total
 * @returns {Outcome | null}
 */
export function putOwnTotal(answer, cell, severity, total) {
  const mark = markAt(answer, cell, severity);
  if (!mark) return null;
  if (!isWithin(total, 0)) return { answer, message: rangeMessage(0) };
  if (total === 0) return { answer, message: totalZeroMessage(cell.kind) };
  if (mark.affected > total) return refusedAbove(answer, { ...mark, ownTotal: total }, total);
  const ownTotal = total === countOf(answer, cell.kind, cell.part) ? null : total;
  return entered(withMark(answer, { ...mark, ownTotal }), cell);
}

/**
 * Raises the count of the image to the number affected, and enters the mark.
 * @param {Answer} answer
 * @param {Cell} cell
 * @param {Severity} severity
 * @param {number} affected
 * @returns {Outcome}
 */
export function raiseCount(answer, cell, severity, affected) {
  const refusal = countRefusal(answer, cell.kind, cell.part, affected);
  if (refusal) return { answer, message: refusal };
  const raised = withCount(answer, cell.kind, cell.part, affected);
  const mark = { ...markOrNew(raised, cell, severity), affected, ownTotal: null };
  return entered(withMark(raised, mark), cell, true);
}

/**
 * Removes all marks of a cell. Does nothing in an empty cell.
 * @param {Answer} answer
 * @param {Cell} cell
 * @returns {Outcome | null}
 */
export function emptyCell(answer, cell) {
  const marks = answer.marks.filter((mark) => mark.cell !== cell);
  return marks.length === answer.marks.length ? null : entered({ ...answer, marks }, cell);
}

/**
 * Refuses more affected parts than the total, and offers to raise the total.
 * @param {Answer} answer
 * @param {Mark} mark as requested
 * @param {number} total
 * @returns {Outcome}
 */
function refusedAbove(answer, mark, total) {
  const { cell, severity, affected } = mark;
  const own = mark.ownTotal !== null && mark.ownTotal !== countOf(answer, cell.kind, cell.part);
  const free = totalBecomesCount(withoutMark(answer, cell, severity), cell.kind, cell.part, affected);
  /** @type {Action} */
  const action =
    own && !free
      ? { type: "mark.put", cell, severity, affected, total: affected }
      : { type: "count.raise", cell, severity, affected };
  const what = own && !free ? "this total" : `${cell.kind} ${pluralOf(cell.part)}`;
  const label = `Set ${what} to ${affected}`;
  return { answer, message: aboveTotalMessage(affected, total, cell, { label, key: "Enter", action }) };
}
