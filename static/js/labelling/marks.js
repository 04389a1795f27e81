// Marks entered, changed and removed, and where each gets its total from.

import { countOf, markAt, totalOf, withMark, withoutMark } from "./answer.js";
import { countRefusal, isWithin, totalBecomesCount, withCount } from "./counts.js";
import { aboveTotalMessage, marksMessage, rangeMessage, totalZeroMessage } from "./messages.js";

/** @import { Answer, Mark } from "./answer.js" */
/** @import { Outcome } from "./counts.js" */
/** @import { Action } from "./state.js" */
/** @import { Cell, Severity } from "./taxonomy.js" */

/** @param {Answer} answer @param {Cell} cell @param {boolean} [countSet] @returns {Outcome} */
const entered = (answer, cell, countSet = false) => ({
  answer,
  message: marksMessage(answer, cell, countSet),
});

/** @param {Answer} answer @param {Cell} cell @param {Severity} severity @returns {Mark} */
const markOrNew = (answer, cell, severity) =>
  markAt(answer, cell, severity) ?? { cell, severity, affected: 0, ownTotal: null, pins: [] };

/**
 * Makes it `affected` parts of this severity, out of the total the mark has. 0 removes the mark.
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
 * The same with a total typed along: equal to the count it relies on it, a free count it sets, and
 * otherwise it is the mark's own. No other mark changes.
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
  if (totalBecomesCount(others, kind, part, total))
    return entered(withMark(withCount(others, kind, part, total), relying), cell, true);
  return entered(withMark(answer, { ...relying, ownTotal: total }), cell);
}

/**
 * Takes this total for this mark only, whatever the count is. Nothing happens without a mark.
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
 * Takes the number affected for the image's count, and enters the mark.
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
 * Removes all marks of a cell. Nothing happens in an empty one.
 * @param {Answer} answer
 * @param {Cell} cell
 * @returns {Outcome | null}
 */
export function emptyCell(answer, cell) {
  const marks = answer.marks.filter((mark) => mark.cell !== cell);
  return marks.length === answer.marks.length ? null : entered({ ...answer, marks }, cell);
}

/**
 * Refuses more affected than there are, and offers to raise the total the mark would have had.
 * @param {Answer} answer
 * @param {Mark} mark as it was asked for
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
  const label = `${own && !free ? "Total" : "Count"} ${affected}`;
  return { answer, message: aboveTotalMessage(affected, total, cell, { label, key: "Enter", action }) };
}
