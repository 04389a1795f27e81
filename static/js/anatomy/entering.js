// Enter and correct people, counts, marks and pins.

import { markAt } from "./answer.js";
import { setCount, setPeople, stepCount } from "./counts.js";
import { emptyCell, putMark, putMarkOutOf, putOwnTotal, raiseCount } from "./marks.js";
import { allPinnedMessage, nothingToPinMessage, pinningMessage } from "./message_texts.js";
import { addPin, placeOnImage, removePin } from "./pins.js";
import { lastTouched } from "./state.js";

/** @import { MarkName } from "../labelling/actions.js" */
/** @import { BodyPart, Cell, CountKind, Severity } from "../labelling/taxonomy.js" */
/** @import { Outcome } from "./counts.js" */
/** @import { Change, State } from "./state.js" */

/**
 * The change for an outcome in a cell; null if nothing happens.
 * @param {Outcome | null} outcome
 * @param {Readonly<Cell>} cell
 * @param {Severity} [severity] of the mark it touches
 * @returns {Change | null}
 */
export function inCell(outcome, cell, severity) {
  if (!outcome) return null;
  /** @type {Change} */
  const change = { ...outcome, cell, where: cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  return severity ? { ...change, touched: { cell, severity } } : change;
}

/** @param {State} state @param {number} people @returns {Change} */
export const enterPeople = ({ answer }, people) => ({
  ...setPeople(answer, people),
  where: null,
  place: { at: "people" },
  effects: [{ type: "focus" }],
});

/** @param {State} state @param {1 | -1} by @returns {Change} */
export const stepPeople = (state, by) => enterPeople(state, (state.answer.people ?? 0) + by);

/**
 * @param {State} state
 * @param {CountKind} kind
 * @param {BodyPart} part
 * @param {number} by
 * @returns {Change}
 */
export const correctCountBy = ({ answer }, kind, part, by) => ({
  ...stepCount(answer, kind, part, by),
  where: null,
});

/**
 * @param {State} state
 * @param {CountKind} kind
 * @param {BodyPart} part
 * @param {number} count
 * @returns {Change}
 */
export const correctCount = ({ answer }, kind, part, count) => ({
  ...setCount(answer, kind, part, count),
  where: null,
});

/**
 * Adds affected parts to a mark, or removes some. Changes no mark if there are none to remove.
 * @param {State} state
 * @param {Readonly<Cell>} cell
 * @param {Severity} severity
 * @param {number} by
 * @returns {Change | null}
 */
export function addToMark({ answer }, cell, severity, by) {
  const affected = markAt(answer, cell, severity)?.affected ?? 0;
  if (by < 0 && affected === 0) return { cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  return inCell(putMark(answer, cell, severity, Math.max(0, affected + by)), cell, severity);
}

/**
 * @param {State} state
 * @param {Readonly<Cell>} cell
 * @param {Severity} severity
 * @param {number} affected
 * @param {number} [total] typed with the mark
 * @returns {Change | null}
 */
export const enterMark = ({ answer }, cell, severity, affected, total) =>
  inCell(
    total === undefined
      ? putMark(answer, cell, severity, affected)
      : putMarkOutOf(answer, cell, severity, affected, total),
    cell,
    severity,
  );

/** @param {State} state @param {MarkName} mark @param {number} total @returns {Change | null} */
export const enterOwnTotal = ({ answer }, { cell, severity }, total) =>
  inCell(putOwnTotal(answer, cell, severity, total), cell, severity);

/** @param {State} state @param {MarkName} mark @param {number} affected @returns {Change | null} */
export const enterRaised = ({ answer }, { cell, severity }, affected) =>
  inCell(raiseCount(answer, cell, severity, affected), cell, severity);

/** @param {State} state @param {Readonly<Cell>} cell @returns {Change | null} */
export const clearCell = ({ answer }, cell) => inCell(emptyCell(answer, cell), cell);

/**
 * Starts pin mode for a mark, with the cross in the middle or on its last pin. Ends it if it was on.
 * @param {State} state
 * @param {MarkName | null} [name] defaults to the mark last touched
 * @returns {Change}
 */
export function pinMode(state, name = lastTouched(state)) {
  const mark = name && markAt(state.answer, name.cell, name.severity);
  if (!mark) return { message: nothingToPinMessage() };
  const { cell, severity, affected, pins } = mark;
  const touched = { cell, severity };
  /** @type {Change} */
  const change = { touched, cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  if (state.pinning?.cell === cell && state.pinning.severity === severity) return change;
  if (pins.length >= affected) return { ...change, message: allPinnedMessage(cell, severity, affected) };
  const { x, y } = pins.at(-1) ?? { x: 0.5, y: 0.5 };
  return { ...change, pinning: { cell, severity, x, y }, message: pinningMessage(cell, severity) };
}

/**
 * Pins the mark of pin mode, or the mark last touched. Pin mode stays on while the mark has parts without a pin.
 * @param {State} state
 * @param {number} x
 * @param {number} y
 * @returns {Change | null}
 */
export function enterPin(state, x, y) {
  const name = state.pinning ?? lastTouched(state);
  const pin = placeOnImage(x, y);
  if (!name || !pin) return pin && { message: nothingToPinMessage() };
  const { cell, severity } = name;
  const outcome = addPin(state.answer, cell, severity, pin);
  if (!outcome) return null;
  const mark = markAt(outcome.answer, cell, severity);
  const more = state.pinning && mark && mark.pins.length < mark.affected;
  // The focus stays where it was.
  return {
    ...outcome,
    where: cell,
    touched: { cell, severity },
    ...(more ? { pinning: { cell, severity, ...pin } } : {}),
  };
}

/** @param {State} state @param {MarkName} mark @param {number} index @returns {Change | null} */
export const takePin = ({ answer }, { cell, severity }, index) =>
  inCell(removePin(answer, cell, severity, index), cell, severity);
