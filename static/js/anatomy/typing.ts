// What each key does, depending on the focus. What has been typed before the severity: "3", "2/7", "/7".

import { type Cell, LARGEST_NUMBER, neighbourOf, prescribedAfter, type Severity } from "../labelling/taxonomy.ts";
import { marksIn } from "./answer.ts";
import { enterDot, removeDot } from "./dots.ts";
import { setCount, stepCount } from "./counts.ts";
import { addToMark, enterMark, enterPeople, enterPin, inCell } from "./entering.ts";
import { chooseCellMessage, lastCellMessage, typedMessage, wholeNumberMessage } from "./message_texts.ts";
import { emptyCell, FAR_PIN_STEP, PIN_STEP, placeOnImage, removePin } from "./marks.ts";
import { type Change, lastTouched, type State } from "./state.ts";
import type { Action } from "../labelling/actions.ts";

export const toCell = (cell: Cell): Change => ({ cell, place: { at: "cell" }, effects: [{ type: "focus" }] });

const typing = (typed: Entry | null): Change =>
  typed ? { typed, message: typedMessage(entryText(typed), typed.affected === "" && typed.total !== "") } : {};

export function pressDigit(state: State, digit: number): Change {
  if (state.place.at === "people") return enterPeople(state, digit);
  const typed = typeDigit(state.typed, digit);
  return typed ? typing(typed) : { typed: state.typed, message: wholeNumberMessage() };
}

export const pressSlash = (state: State): Change =>
  state.place.at === "people" ? { message: chooseCellMessage() } : typing(typeSlash(state.typed));

/** With `off`, one is removed. */
export function pressSeverity(state: State, severity: Severity, off: boolean): Change | null {
  if (state.place.at === "people") return { message: chooseCellMessage() };
  const { affected, total } = readEntry(state.typed);
  const before = marksIn(state.answer, state.cell).find((mark) => mark.severity === severity)?.affected ?? 0;
  if (off || (affected === null && total === null)) return addToMark(state, state.cell, severity, off ? -1 : 1);
  return enterMark(state, state.cell, severity, affected ?? before + 1, total ?? undefined);
}

export const pressStep = (state: State, by: 1 | -1): Change =>
  state.place.at === "people"
    ? enterPeople(state, (state.answer.people ?? 0) + by)
    : { ...stepCount(state.answer, state.cell.kind, state.cell.part, by), where: null };

export function pressArrow(state: State, right: number, down: number, far: boolean): Change {
  if (state.pinning) {
    const step = far ? FAR_PIN_STEP : PIN_STEP;
    const cross = placeOnImage(state.pinning.x + right * step, state.pinning.y + down * step);
    return { pinning: { ...state.pinning, ...cross }, message: state.message };
  }
  // In a group of radio buttons, right and down both select the next one.
  if (state.place.at === "people") return pressStep(state, right + down > 0 ? 1 : -1);
  return toCell(neighbourOf(state.cell, right, down));
}

/**
 * Deletes the last typed character, or the last dot while counting. Without one, removes one affected part from the
 * mark last touched in this cell, or else from its last mark.
 */
export function pressBackspace(state: State): Change | null {
  if (state.typed) return typing(dropLast(state.typed));
  if (state.counting) return removeDot(state);
  if (state.place.at === "people") return null;
  const mark = lastTouched(state, state.cell) ?? marksIn(state.answer, state.cell).at(-1);
  return mark ? addToMark(state, mark.cell, mark.severity, -1) : null;
}

export function pressDelete(state: State): Change | null {
  const { answer, place, cell } = state;
  if (place.at === "people") return null;
  if (place.at !== "pin") return inCell(emptyCell(answer, cell), cell);
  return inCell(removePin(answer, cell, place.severity, place.index), cell, place.severity);
}

/**
 * Places the pin or a dot, accepts the offer, or sets the count from a pending "/7". In guided mode, otherwise goes to
 * the next cell.
 */
export function pressEnter(state: State, act: (state: State, action: Action) => Change | null): Change | null {
  if (state.pinning) return enterPin(state, state.pinning.x, state.pinning.y);
  if (state.counting && !state.typed) return enterDot(state);
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return act(state, offer.action);
  const { affected, total } = readEntry(state.typed);
  if (affected === null && total !== null) return ({ ...setCount(state.answer, state.cell.kind, state.cell.part, total), where: null });
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

/** The digits as typed. `total` is null before the slash and "" right after it. */
export type Entry = { readonly affected: string; readonly total: string | null };

/** Null if the result is not a number up to 99. */
const longer = (digits: string, digit: number): string | null =>
  digits === "0" || Number(digits + digit) > LARGEST_NUMBER ? null : digits + digit;

/** Appends a digit; null if the number would exceed 99 or start with 0. */
function typeDigit(entry: Entry | null, digit: number): Entry | null {
  if (!entry || entry.total === null) {
    const affected = longer(entry?.affected ?? "", digit);
    return affected === null ? null : { affected, total: null };
  }
  const total = longer(entry.total, digit);
  return total === null ? null : { ...entry, total };
}

const typeSlash = (entry: Entry | null): Entry => ({ affected: entry?.affected ?? "", total: entry?.total ?? "" });

/** Removes the last typed character; null if nothing is left. */
function dropLast(entry: Entry): Entry | null {
  if (entry.total) return { ...entry, total: entry.total.slice(0, -1) };
  const affected = entry.total === null ? entry.affected.slice(0, -1) : entry.affected;
  return affected === "" ? null : { affected, total: null };
}

const numberIn = (digits: string | null) => (digits ? Number(digits) : null);

const readEntry = (entry: Entry | null): { affected: number | null; total: number | null } => ({
  affected: numberIn(entry?.affected ?? null),
  total: numberIn(entry?.total ?? null),
});

/** The text in the bubble on the cell: "3 …", "3 of …", "3 of 7 …", "of 7 …". */
export const entryText = ({ affected, total }: Entry) =>
  [affected, ...(total === null ? [] : ["of", total]), "…"].filter((word) => word !== "").join(" ");
