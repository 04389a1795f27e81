// Enter, change and remove marks, and determine the total of each. Pins: the positions of errors on the image, at most
// one per affected part.

import { type Cell, pluralOf, type Severity } from "../labelling/taxonomy.ts";
import { type Answer, countOf, type Mark, markAt, type Pin, totalOf, withMark, withoutMark } from "./answer.ts";
import { countRefusal, improbable, isWithin, type Outcome, totalBecomesCount, withCount } from "./counts.ts";
import {
  aboveTotalMessage,
  allPinnedMessage,
  marksMessage,
  pinnedMessage,
  pinRemovedMessage,
  rangeMessage,
  totalZeroMessage,
} from "./message_texts.ts";
import type { Action } from "../labelling/actions.ts";

const entered = (answer: Answer, cell: Cell, countSet = false): Outcome => ({
  answer,
  message: marksMessage(answer, cell, countSet),
});

const markOrNew = (answer: Answer, cell: Cell, severity: Severity): Mark =>
  markAt(answer, cell, severity) ?? { cell, severity, affected: 0, ownTotal: null, pins: [] };

/** Sets a mark to `affected` parts of this severity and keeps its total. 0 removes the mark. */
export function putMark(answer: Answer, cell: Cell, severity: Severity, affected: number): Outcome {
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
 */
export function putMarkOutOf(answer: Answer, cell: Cell, severity: Severity, affected: number, total: number): Outcome {
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

/** Sets the total of this mark only, whatever the count is. Does nothing if there is no mark. */
export function putOwnTotal(answer: Answer, cell: Cell, severity: Severity, total: number): Outcome | null {
  const mark = markAt(answer, cell, severity);
  if (!mark) return null;
  if (!isWithin(total, 0)) return { answer, message: rangeMessage(0) };
  if (total === 0) return { answer, message: totalZeroMessage(cell.kind) };
  if (mark.affected > total) return refusedAbove(answer, { ...mark, ownTotal: total }, total);
  const ownTotal = total === countOf(answer, cell.kind, cell.part) ? null : total;
  return entered(withMark(answer, { ...mark, ownTotal }), cell);
}

/** Raises the count of the image to the number affected, and enters the mark. */
export function raiseCount(answer: Answer, cell: Cell, severity: Severity, affected: number): Outcome {
  const refusal = countRefusal(answer, cell.kind, cell.part, affected);
  if (refusal) return { answer, message: refusal };
  const raised = withCount(answer, cell.kind, cell.part, affected);
  const mark = { ...markOrNew(raised, cell, severity), affected, ownTotal: null };
  return entered(withMark(raised, mark), cell, true);
}

/** Removes all marks of a cell. Does nothing in an empty cell. */
export function emptyCell(answer: Answer, cell: Cell): Outcome | null {
  const marks = answer.marks.filter((mark) => mark.cell !== cell);
  return marks.length === answer.marks.length ? null : entered({ ...answer, marks }, cell);
}

/** Refuses more affected parts than the total, and offers to raise the total. The mark is as requested. */
function refusedAbove(answer: Answer, mark: Mark, total: number): Outcome {
  const { cell, severity, affected } = mark;
  const own = mark.ownTotal !== null && mark.ownTotal !== countOf(answer, cell.kind, cell.part);
  const free = totalBecomesCount(withoutMark(answer, cell, severity), cell.kind, cell.part, affected);
  const action: Action =
    own && !free
      ? { type: "mark.put", cell, severity, affected, total: affected }
      : { type: "count.raise", cell, severity, affected };
  const what = own && !free ? "this total" : `${cell.kind} ${pluralOf(cell.part)}`;
  const label = `Set ${what} to ${affected}`;
  return { answer, message: aboveTotalMessage(affected, total, cell, { label, key: "Enter", action }) };
}

export const PIN_STEP = 0.02;
export const FAR_PIN_STEP = 0.1;

const onImage = (fraction: number) => Math.round(Math.min(Math.max(fraction, 0), 1) * 1000) / 1000;

/** A position on the image, to a thousandth of its width and height; null if x or y is not a finite number. */
export const placeOnImage = (x: number, y: number): Pin | null =>
  Number.isFinite(x) && Number.isFinite(y) ? { x: onImage(x), y: onImage(y) } : null;

/** Pins a mark. Does nothing if there is no such mark. */
export function addPin(answer: Answer, cell: Cell, severity: Severity, pin: Pin): Outcome | null {
  const mark = markAt(answer, cell, severity);
  if (!mark) return null;
  if (mark.pins.length >= mark.affected) return { answer, message: allPinnedMessage(cell, severity, mark.affected) };
  const pins = [...mark.pins, pin];
  const message = pinnedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}

export function removePin(answer: Answer, cell: Cell, severity: Severity, index: number): Outcome | null {
  const mark = markAt(answer, cell, severity);
  if (!mark?.pins[index]) return null;
  const pins = mark.pins.filter((_, position) => position !== index);
  const message = pinRemovedMessage(cell, severity, pins.length, mark.affected);
  return { answer: withMark(answer, { ...mark, pins }), message };
}
