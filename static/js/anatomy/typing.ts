// What each key does, depending on the focus.

import { type Cell, neighbourOf, prescribedAfter, type Severity } from "../labelling/taxonomy.ts";
import { marksIn } from "./answer.ts";
import { enterDot, removeDot } from "./dots.ts";
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
} from "./entering.ts";
import { chooseCellMessage, lastCellMessage, typedMessage, wholeNumberMessage } from "./message_texts.ts";
import { FAR_PIN_STEP, PIN_STEP, placeOnImage } from "./pins.ts";
import { type Change, lastTouched, type State } from "./state.ts";
import { dropLast, type Entry, entryText, readEntry, typeDigit, typeSlash } from "./typed_entry.ts";
import type { Action } from "../labelling/actions.ts";

export const toCell = (cell: Readonly<Cell>): Change => ({ cell, place: { at: "cell" }, effects: [{ type: "focus" }] });

const typing = (typed: Entry | null): Change =>
  typed
    ? { typed, message: typedMessage(entryText(typed), typed.affected === "" && typed.total !== "") }
    : {};

export function pressDigit(state: State, digit: number): Change {
  if (state.place.at === "people") return enterPeople(state, digit);
  const typed = typeDigit(state.typed, digit);
  return typed ? typing(typed) : { typed: state.typed, message: wholeNumberMessage() };
}

export const pressSlash = (state: State): Change =>
  state.place.at === "people" ? { message: chooseCellMessage() } : typing(typeSlash(state.typed));

/** `off`: remove one. */
export function pressSeverity(state: State, severity: Severity, off: boolean): Change | null {
  if (state.place.at === "people") return { message: chooseCellMessage() };
  const { affected, total } = readEntry(state.typed);
  const before = marksIn(state.answer, state.cell).find((mark) => mark.severity === severity)?.affected ?? 0;
  if (off || (affected === null && total === null))
    return addToMark(state, state.cell, severity, off ? -1 : 1);
  return enterMark(state, state.cell, severity, affected ?? before + 1, total ?? undefined);
}

export const pressStep = (state: State, by: 1 | -1): Change =>
  state.place.at === "people"
    ? stepPeople(state, by)
    : correctCountBy(state, state.cell.kind, state.cell.part, by);

export function pressArrow(state: State, right: number, down: number, far: boolean): Change {
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
 * Deletes the last typed character, or the last dot while counting. Without one, removes one affected part from the
 * mark last touched in this cell, or
 * else from its last mark.
 */
export function pressBackspace(state: State): Change | null {
  if (state.typed) return typing(dropLast(state.typed));
  if (state.counting) return removeDot(state);
  if (state.place.at === "people") return null;
  const mark = lastTouched(state, state.cell) ?? marksIn(state.answer, state.cell).at(-1);
  return mark ? addToMark(state, mark.cell, mark.severity, -1) : null;
}

export function pressDelete(state: State): Change | null {
  const { place, cell } = state;
  if (place.at === "pin") return takePin(state, { cell, severity: place.severity }, place.index);
  return place.at === "people" ? null : clearCell(state, cell);
}

/**
 * Places the pin or a dot, accepts the offer, or sets the count from a pending "/7". In guided mode, otherwise goes to
 * the next
 * cell.
 */
export function pressEnter(state: State, act: (state: State, action: Action) => Change | null): Change | null {
  if (state.pinning) return enterPin(state, state.pinning.x, state.pinning.y);
  if (state.counting && !state.typed) return enterDot(state);
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return act(state, offer.action);
  const { affected, total } = readEntry(state.typed);
  if (affected === null && total !== null)
    return correctCount(state, state.cell.kind, state.cell.part, total);
  return state.guided && !state.typed ? walk(state, 1) : null;
}

export function pressEscape({ typed, pinning, counting, message }: State): Change | null {
  if (counting && !typed) return { counting: null };
  return typed || pinning || message.offers.length ? {} : null;
}

/** Moves to the next or previous cell in the prescribed order. */
export function walk(state: State, by: 1 | -1): Change {
  if (state.place.at === "people") return toCell(state.cell);
  const next = prescribedAfter(state.cell, by);
  return next ? toCell(next) : { message: lastCellMessage() };
}
