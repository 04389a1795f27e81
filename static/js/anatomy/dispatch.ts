// Apply one action to a state: the next state, and the effects for the page.

import { type Message, noErrorsMessage, offlineSubmitMessage, takenMessage } from "../labelling/messages.ts";
import { SHARED_ACTS } from "../labelling/remarks.ts";
import { cellAt, CELLS } from "../labelling/taxonomy.ts";
import { type Answer, totalOf } from "./answer.ts";
import { countByDots, moveCross, removeDot, setDot } from "./dots.ts";
import {
  addToMark,
  clearCell,
  correctCount,
  correctCountBy,
  enterMark,
  enterOwnTotal,
  enterPeople,
  enterPin,
  enterRaised,
  pinMode,
  takePin,
} from "./entering.ts";
import { askBeforeSubmitting, confirmExcess, correctExcess, pressYes } from "./excess.ts";
import { redo, remembered, undo } from "./history.ts";
import { emptySubmitMessage, errorsEnteredMessage, submitWithoutTotalMessage } from "./message_texts.ts";
import { fromPayload, toPayload } from "./payload.ts";
import { type Change, restingMessage, type State } from "./state.ts";
import { takeSuggestion } from "./suggestions.ts";
import {
  pressArrow,
  pressBackspace,
  pressDelete,
  pressDigit,
  pressEnter,
  pressEscape,
  pressSeverity,
  pressSlash,
  pressStep,
  toCell,
  walk,
} from "./typing.ts";
import type { Action, Effect } from "../labelling/actions.ts";

/** Returns the same state if nothing happens. */
export function dispatch(state: State, action: Action): { state: State; message: Message; effects: readonly Effect[] } {
  const change = act(state, action);
  if (!change) return { state, message: state.message, effects: [] };
  const next = applied(state, change);
  const saves = next.answer !== state.answer;
  return {
    state: next,
    message: next.message,
    effects: [...(saves ? [SAVE] : []), ...(change.effects ?? [])],
  };
}

const SAVE: Effect = { type: "save" };

const ACTS: { [T in Action["type"]]: (state: State, action: Extract<Action, { type: T }>) => Change | null } = {
  digit: (state, { digit }) =>
    digit === 0 && !state.typed ? switchNoErrors(state) : pressDigit(state, digit),
  slash: pressSlash,
  severity: (state, { severity, off }) => pressSeverity(state, severity, off),
  step: (state, { by }) => pressStep(state, by),
  arrow: (state, { right, down, far }) => pressArrow(state, right, down, far),
  column: ({ cell }, { errorType }) => toCell(cellAt(errorType, cell.part)),
  row: ({ cell }, { part }) => toCell(cellAt(cell.type, part)),
  edge: ({ cell }, { last }) => toCell(CELLS.at(last ? -1 : 0) ?? cell),
  backspace: pressBackspace,
  delete: pressDelete,
  enter: (state) => pressEnter(state, act),
  escape: pressEscape,
  walk: (state, { by }) => walk(state, by),
  "focus.people": ({ place }) =>
    place.at === "people" ? null : { place: { at: "people" }, effects: [{ type: "focus" }] },
  "focus.cell": (state, { cell }) =>
    state.place.at === "cell" && state.cell === cell ? null : { cell, place: { at: "cell" } },
  "focus.pin": (_, { cell, severity, index }) => ({
    cell,
    place: { at: "pin", severity, index },
    touched: { cell, severity },
  }),
  // Keep the message: the focus may move to a button in it.
  "focus.away": ({ place, message }) =>
    place.at === "elsewhere" ? null : { place: { at: "elsewhere" }, message },
  "people.set": (state, { people }) => enterPeople(state, people),
  "mark.add": (state, { cell, severity, by }) => addToMark(state, cell, severity, by),
  "mark.put": (state, { cell, severity, affected, total }) =>
    enterMark(state, cell, severity, affected, total),
  "mark.total": (state, action) => enterOwnTotal(state, action, action.total),
  "cell.empty": (state, { cell }) => clearCell(state, cell),
  "count.step": (state, { kind, part, by }) => correctCountBy(state, kind, part, by),
  "count.set": (state, { kind, part, count }) => correctCount(state, kind, part, count),
  "count.raise": (state, action) => enterRaised(state, action, action.affected),
  "pin.mode": (state, { mark }) => pinMode(state, mark),
  "pin.add": (state, { x, y }) => (state.counting ? setDot(state, x, y, false) : enterPin(state, x, y)),
  "pin.remove": (state, action) => takePin(state, action, action.index),
  dots: countByDots,
  "dot.move": (state, { right, down }) => moveCross(state, right, down),
  "dot.remove": (state, { part, index }) => (state.counting ? removeDot(state, part, index) : null),
  "suggestion.take": (state, { part, all }) => takeSuggestion(state, part, all),
  yes: (state) => pressYes(state, act),
  "excess.correct": (_, { cell }) => correctExcess(cell),
  "excess.confirm": (state, { cell, submit: submits }) => confirmExcess(state, cell, submits),
  no_errors: (state, { clear = false }) => switchNoErrors(state, clear),
  ...(SHARED_ACTS as any),
  undo,
  redo,
  submit: (state, { offline = false }) => submit(state, offline),
  take: (_, { payload }) => ({ answer: fromPayload(payload), message: takenMessage(), where: null }),
};

function act(state: State, action: Action): Change | null {
  const does = ACTS[action.type] as (state: State, action: Action) => Change | null;
  return does(state, action);
}

function applied(state: State, change: Change): State {
  const answer = change.answer && !sameAnswer(change.answer, state.answer) ? change.answer : state.answer;
  const { touched, counting = state.counting } = change;
  const next = {
    ...state,
    answer,
    place: change.place ?? state.place,
    cell: change.cell ?? state.cell,
    typed: change.typed ?? null,
    pinning: change.pinning ?? null,
    counting: change.pinning ? null : counting,
    touched: touched
      ? [touched, ...state.touched.filter((mark) => mark.cell !== touched.cell)]
      : state.touched,
    ...(change.history ??
      (answer === state.answer ? {} : remembered(state, state.answer, change.where ?? null))),
  };
  return { ...next, message: change.message ?? restingMessage(next) };
}

const sameAnswer = (one: Answer, other: Answer) => one === other || textOf(one) === textOf(other);

const textOf = (answer: Answer) => JSON.stringify([toPayload(answer), answer.confirmed]);

/** `clear`: the marks first. */
function switchNoErrors({ answer }: State, clear = false): Change {
  const on = !answer.noErrors;
  const marks = answer.marks.length;
  if (on && marks > 0 && !clear) return { message: errorsEnteredMessage(marks) };
  return { answer: { ...answer, marks: [], noErrors: on }, message: noErrorsMessage(on, marks), where: null };
}

function submit(state: State, offline: boolean): Change {
  const { answer } = state;
  if (answer.marks.length === 0 && !answer.noErrors) return { message: emptySubmitMessage() };
  const open = answer.marks.find((mark) => totalOf(answer, mark) === null);
  if (open) return { ...toCell(open.cell), message: submitWithoutTotalMessage(open.cell) };
  const question = askBeforeSubmitting(answer);
  if (question) return question;
  if (offline) return { message: offlineSubmitMessage() };
  return { message: state.message, effects: [{ type: "submit" }] };
}
