// What each key does, depending on the focus.

import { neighbourOf, prescribedAfter } from "../labelling/taxonomy.js";
import { marksIn } from "./answer.js";
import { enterDot, removeDot } from "./dots.js";
import {
  correctCount,
  correctCountBy,
  addToMark,
  clearCell,
  enterMark,
  enterPeople,
  enterPin,
  stepPeople,
  takePin,
} from "./entering.js";
import { chooseCellMessage, lastCellMessage, typedMessage, wholeNumberMessage } from "./message_texts.js";
import { FAR_PIN_STEP, PIN_STEP, placeOnImage } from "./pins.js";
import { lastTouched } from "./state.js";
import { dropLast, entryText, readEntry, typeDigit, typeSlash } from "./typed_entry.js";

/** @import { Action } from "../labelling/actions.js" */
/** @import { Cell, Severity } from "../labelling/taxonomy.js" */
/** @import { Change, State } from "./state.js" */
/** @import { Entry } from "./typed_entry.js" */

/** @param {Readonly<Cell>} cell @returns {Change} */
export const toCell = (cell) => ({ cell, place: { at: "cell" }, effects: [{ type: "focus" }] });

/** @param {Entry | null} typed @returns {Change} */
const typing = (typed) =>
  typed
    ? { typed, message: typedMessage(entryText(typed), typed.affected === "" && typed.total !== "") }
    : {};

/** @param {State} state @param {number} digit @returns {Change} */
export function pressDigit(state, digit) {
  if (state.place.at === "people") return enterPeople(state, digit);
  const typed = typeDigit(state.typed, digit);
  return typed ? typing(typed) : { typed: state.typed, message: wholeNumberMessage() };
}

/** @param {State} state @returns {Change} */
export const pressSlash = (state) =>
  state.place.at === "people" ? { message: chooseCellMessage() } : typing(typeSlash(state.typed));

/**
 * @param {State} state
 * @param {Severity} severity
 * @param {boolean} off remove one
 * @returns {Change | null}
 */
export function pressSeverity(state, severity, off) {
  if (state.place.at === "people") return { message: chooseCellMessage() };
  const { affected, total } = readEntry(state.typed);
  const before = marksIn(state.answer, state.cell).find((mark) => mark.severity === severity)?.affected ?? 0;
  if (off || (affected === null && total === null))
    return addToMark(state, state.cell, severity, off ? -1 : 1);
  return enterMark(state, state.cell, severity, affected ?? before + 1, total ?? undefined);
}

/** @param {State} state @param {1 | -1} by @returns {Change} */
export const pressStep = (state, by) =>
  state.place.at === "people"
    ? stepPeople(state, by)
    : correctCountBy(state, state.cell.kind, state.cell.part, by);

/**
 * @param {State} state
 * @param {number} right
 * @param {number} down
 * @param {boolean} far
 * @returns {Change}
 */
export function pressArrow(state, right, down, far) {
  if (state.pinning) {
    const step = far ? FAR_PIN_STEP : PIN_STEP;
    const cross = placeOnImage(state.pinning.x + right * step, state.pinning.y + down * step);
    return { pinning: { ...state.pinning, ...cross }, message: state.message };
  }
  // In a group of radio buttons, right and down both select the next one.
  if (state.place.at === "people") return stepPeople(state, right + down > 0 ? 1 : -1);
  return toCell(neighbourOf(state.cell, right, down));
}

/**
 * Deletes the last typed character, or the last dot while counting. Without one, removes one affected part from the mark last touched in this cell, or
 * else from its last mark.
 * @param {State} state
 * @returns {Change | null}
 */
export function pressBackspace(state) {
  if (state.typed) return typing(dropLast(state.typed));
  if (state.counting) return removeDot(state);
  if (state.place.at === "people") return null;
  const mark = lastTouched(state, state.cell) ?? marksIn(state.answer, state.cell).at(-1);
  return mark ? addToMark(state, mark.cell, mark.severity, -1) : null;
}

/** @param {State} state @returns {Change | null} */
export function pressDelete(state) {
  const { place, cell } = state;
  if (place.at === "pin") return takePin(state, { cell, severity: place.severity }, place.index);
  return place.at === "people" ? null : clearCell(state, cell);
}

/**
 * Places the pin or a dot, accepts the offer, or sets the count from a pending "/7". In guided mode, otherwise goes to the next
 * cell.
 * @param {State} state
 * @param {(state: State, action: Action) => Change | null} act
 * @returns {Change | null}
 */
export function pressEnter(state, act) {
  if (state.pinning) return enterPin(state, state.pinning.x, state.pinning.y);
  if (state.counting && !state.typed) return enterDot(state);
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return act(state, offer.action);
  const { affected, total } = readEntry(state.typed);
  if (affected === null && total !== null)
    return correctCount(state, state.cell.kind, state.cell.part, total);
  return state.guided && !state.typed ? walk(state, 1) : null;
}

/** @param {State} state @returns {Change | null} */
export function pressEscape({ typed, pinning, counting, message }) {
  if (counting && !typed) return { counting: null };
  return typed || pinning || message.offers.length ? {} : null;
}

/**
 * Moves to the next or previous cell in the prescribed order.
 * @param {State} state
 * @param {1 | -1} by
 * @returns {Change}
 */
export function walk(state, by) {
  if (state.place.at === "people") return toCell(state.cell);
  const next = prescribedAfter(state.cell, by);
  return next ? toCell(next) : { message: lastCellMessage() };
}
