// What each key does, depending on the focus. What has been typed before the severity: "3", "2/7", "/7".

import { type Cell, neighbourOf, prescribedAfter, type Severity } from "../labelling/taxonomy.ts";
import { marksIn } from "./answer.ts";
import { enterDot, removeDot } from "./dots.ts";
import { setCount, stepCount } from "./counts.ts";
import { addToMark, enterMark, enterPeople, enterPin, inCell } from "./entering.ts";
import { anatomyMessage, typedMessage } from "./message_texts.ts";
import { emptyCell, FAR_PIN_STEP, PIN_STEP, placeOnImage, removePin } from "./marks.ts";
import { type Change, lastTouched, type State } from "./state.ts";
import type { Action } from "../labelling/actions.ts";

export const toCell = (cell: Cell): Change => ({ cell, place: { at: "cell" }, effects: [{ type: "focus" }] });

const typing = (typed: Entry): Change =>
  typed ? { typed, message: typedMessage(entryText(typed), /^\/./.test(typed)) } : {};

export function pressDigit(state: State, digit: number): Change {
  if (state.place.at === "people") return enterPeople(state, digit);
  const typed = `${state.typed ?? ""}${digit}`;
  return ENTRY.test(typed) ? typing(typed) : { typed: state.typed, message: anatomyMessage("number") };
}

const pressSlash = (state: State): Change =>
  state.place.at === "people" ? { message: anatomyMessage("choose_cell") } : typing(state.typed?.includes("/") ? state.typed : `${state.typed ?? ""}/`);

/** With `off`, one is removed. */
function pressSeverity(state: State, severity: Severity, off: boolean): Change | null {
  if (state.place.at === "people") return { message: anatomyMessage("choose_cell") };
  const { affected, total } = readEntry(state.typed);
  const before = marksIn(state.answer, state.cell).find((mark) => mark.severity === severity)?.affected ?? 0;
  if (off || (affected === null && total === null)) return addToMark(state, state.cell, severity, off ? -1 : 1);
  return enterMark(state, state.cell, severity, affected ?? before + 1, total ?? undefined);
}

const pressStep = (state: State, by: 1 | -1): Change =>
  state.place.at === "people"
    ? enterPeople(state, (state.answer.people ?? 0) + by)
    : { ...stepCount(state.answer, state.cell.kind, state.cell.part, by), where: null };

function pressArrow(state: State, right: number, down: number, far: boolean): Change {
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
function pressBackspace(state: State): Change | null {
  if (state.typed) return typing(state.typed.slice(0, -1));
  if (state.counting) return removeDot(state);
  if (state.place.at === "people") return null;
  const mark = lastTouched(state, state.cell) ?? marksIn(state.answer, state.cell).at(-1);
  return mark ? addToMark(state, mark.cell, mark.severity, -1) : null;
}

function pressDelete(state: State): Change | null {
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

function pressEscape({ typed, pinning, counting, message }: State): Change | null {
  if (counting && !typed) return { counting: null };
  return typed || pinning || message.offers.length ? {} : null;
}

/** Moves to the next or previous cell in the prescribed order. */
function walk(state: State, by: 1 | -1): Change {
  if (state.place.at === "people") return toCell(state.cell);
  const next = prescribedAfter(state.cell, by);
  return next ? toCell(next) : { message: anatomyMessage("last_cell") };
}

/** The acts of keys that depend on nothing but the focus. */
export const KEY_ACTS: Readonly<Record<string, (state: State, action: any) => Change | null>> = {
  slash: pressSlash,
  severity: (state, { severity, off }) => pressSeverity(state, severity, off),
  step: (state, { by }) => pressStep(state, by),
  arrow: (state, { right, down, far }) => pressArrow(state, right, down, far),
  backspace: pressBackspace,
  delete: pressDelete,
  escape: pressEscape,
  walk: (state, { by }) => walk(state, by),
};

/** What is typed before the severity: "3", "2/7", "/7", "2/". */
export type Entry = string;

/** Numbers up to 99 without a leading 0. */
const ENTRY = /^(0|[1-9][0-9]?)?(?:\/(0|[1-9][0-9]?)?)?$/;

function readEntry(entry: Entry | null) {
  const [, affected, total] = ENTRY.exec(entry ?? "") ?? [];
  return { affected: affected ? Number(affected) : null, total: total ? Number(total) : null };
}

/** The text in the bubble on the cell: "3 …", "3 of …", "3 of 7 …", "of 7 …". */
export const entryText = (entry: Entry) => [...entry.split(/(\/)/), "…"].filter(Boolean).join(" ").replace("/", "of");
