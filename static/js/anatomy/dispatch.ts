// Apply one action to a state: the next state, and the effects for the page. Up to 200 steps per image can be undone.
// If more parts are affected than the total, the page asks once, and again when the annotation is submitted.

import { historyActs, remembered } from "../labelling/history.ts";
import { noErrorsMessage, sharedMessage } from "../labelling/messages.ts";
import { SHARED_ACTS } from "../labelling/remarks.ts";
import { type Cell, cellAt, CELLS } from "../labelling/taxonomy.ts";
import { type Answer, totalOf } from "./answer.ts";
import { setCount, stepCount } from "./counts.ts";
import { countByDots, moveCross, removeDot, setDot } from "./dots.ts";
import { addToMark, enterMark, enterPeople, enterPin, inCell, pinMode } from "./entering.ts";
import { emptyCell, putOwnTotal, raiseCount, removePin } from "./marks.ts";
import {
  anatomyMessage,
  emptySubmitMessage,
  errorsEnteredMessage,
  excessConfirmedMessage,
  excessMessage,
  historyMessage,
  notVisitedMessage,
  submitWithoutTotalMessage,
} from "./message_texts.ts";
import { fromPayload, toPayload } from "./payload.ts";
import { type Change, restingMessage, type State, type Step } from "./state.ts";
import { takeSuggestion } from "./suggestions.ts";
import { KEY_ACTS, pressDigit, pressEnter, toCell } from "./typing.ts";
import type { Action, Effect } from "../labelling/actions.ts";
import { doubtIn, excessIn, excessName } from "./warnings.ts";

/** The state is the same one if nothing happens. */
export function dispatch(state: State, action: Action): { state: State; effects: readonly Effect[] } {
  const change = act(state, action);
  if (!change) return { state, effects: [] };
  const next = applied(state, change);
  const saves: Effect[] = next.answer === state.answer ? [] : [{ type: "save" }];
  return { state: next, effects: [...saves, ...(change.effects ?? [])] };
}

const ACTS: Readonly<Record<string, (state: State, action: any) => Change | null>> = {
  digit: (state, { digit }) => (digit === 0 && !state.typed ? switchNoErrors(state) : pressDigit(state, digit)),
  column: ({ cell }, { errorType }) => toCell(cellAt(errorType, cell.part)),
  row: ({ cell }, { part }) => toCell(cellAt(cell.type, part)),
  edge: ({ cell }, { last }) => toCell(CELLS.at(last ? -1 : 0) ?? cell),
  ...KEY_ACTS,
  enter: (state) => pressEnter(state, act),
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
  "focus.away": ({ place, message }) => (place.at === "elsewhere" ? null : { place: { at: "elsewhere" }, message }),
  "people.set": (state, { people }) => enterPeople(state, people),
  "mark.add": (state, { cell, severity, by }) => addToMark(state, cell, severity, by),
  "mark.put": (state, { cell, severity, affected, total }) => enterMark(state, cell, severity, affected, total),
  "mark.total": ({ answer }, { cell, severity, total }) =>
    inCell(putOwnTotal(answer, cell, severity, total), cell, severity),
  "cell.empty": ({ answer }, { cell }) => inCell(emptyCell(answer, cell), cell),
  "count.step": ({ answer }, { kind, part, by }) => ({ ...stepCount(answer, kind, part, by), where: null }),
  "count.set": ({ answer }, { kind, part, count }) => ({ ...setCount(answer, kind, part, count), where: null }),
  "count.raise": ({ answer }, { cell, severity, affected }) =>
    inCell(raiseCount(answer, cell, severity, affected), cell, severity),
  "pin.mode": (state, { mark }) => pinMode(state, mark),
  "pin.add": (state, { x, y }) => (state.counting ? setDot(state, x, y, false) : enterPin(state, x, y)),
  "pin.remove": ({ answer }, { cell, severity, index }) =>
    inCell(removePin(answer, cell, severity, index), cell, severity),
  dots: countByDots,
  "dot.move": (state, { right, down }) => moveCross(state, right, down),
  "dot.remove": (state, { part, index }) => (state.counting ? removeDot(state, part, index) : null),
  "suggestion.take": (state, { part, all }) => takeSuggestion(state, part, all),
  yes: pressYes,
  // The marks of the cell do not change.
  "excess.correct": (_, { cell }) => ({ ...toCell(cell), message: anatomyMessage("correct_excess") }),
  "excess.confirm": (state, { cell, submit: submits }) => confirmExcess(state, cell, submits),
  no_errors: (state, { clear = false }) => switchNoErrors(state, clear),
  ...SHARED_ACTS,
  ...historyActs(({ answer }: State, { cell }: Step): Step => ({ answer, cell }), stepped),
  submit: (state, { offline = false }) => submit(state, offline),
  take: (_, { payload }) => ({ answer: fromPayload(payload), message: sharedMessage("taken"), where: null }),
};

const act = (state: State, action: Action): Change | null => ACTS[action.type]?.(state, action) ?? null;

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
    touched: touched ? [touched, ...state.touched.filter((mark) => mark.cell !== touched.cell)] : state.touched,
    ...(answer === state.answer ? {} : remembered<Step>(state, { answer: state.answer, cell: change.where ?? null })),
    ...(change.past && { past: change.past, future: change.future ?? [] }),
  };
  if (next.guided && next.place.at !== "people" && next.cell === CELLS[state.visited]) next.visited += 1;
  return { ...next, message: change.message ?? restingMessage(next) };
}

const sameAnswer = (one: Answer, other: Answer) => one === other || textOf(one) === textOf(other);

const textOf = (answer: Answer) => JSON.stringify([toPayload(answer), answer.confirmed]);

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
  const unseen = state.required ? CELLS[state.visited] : undefined;
  if (unseen) return { ...toCell(unseen), message: notVisitedMessage(unseen, state.visited) };
  const question = askBeforeSubmitting(answer);
  if (question) return question;
  if (offline) return { message: sharedMessage("offline") };
  return { message: state.message, effects: [{ type: "submit" }] };
}

function stepped(done: "Undone" | "Redone", { answer, cell }: Step, { place }: State): Change {
  const change = { answer, message: historyMessage(done, answer, cell) };
  if (cell) return { ...change, ...toCell(cell) };
  // Without a number of people the focus is on the group, not on one of its numbers.
  return { ...change, effects: place.at === "people" ? [{ type: "focus" }] : [] };
}

/** Asks about the first cell in doubt before a submission; null if there is none. */
function askBeforeSubmitting(answer: Answer): Change | null {
  const cell = CELLS.find((each) => doubtIn(answer, each));
  const doubt = cell && doubtIn(answer, cell);
  if (!cell || !doubt) return null;
  return { ...toCell(cell), message: excessMessage(cell, doubt, "stop", { named: true, submit: true }) };
}

/** Records that one part of the cell has two errors, and continues with a submission that was requested. */
function confirmExcess({ answer }: State, cell: Cell, submits: boolean): Change | null {
  const excess = excessIn(answer, cell);
  if (!excess) return null;
  const others = answer.confirmed.filter((name) => !name.startsWith(`${cell.key} `));
  const confirmed = [...others, excessName(cell, excess)];
  const change = { ...toCell(cell), answer: { ...answer, confirmed }, message: excessConfirmedMessage(cell) };
  const effects = submits ? [AGAIN] : (change.effects ?? []);
  return { ...change, where: cell, effects };
}

const AGAIN: Effect = { type: "again", action: { type: "submit" } };

/** Accepts the offer in the message line whose key is Y. */
function pressYes(state: State): Change | null {
  const offer = state.message.offers.find(({ key }) => key === "Y");
  return offer ? act(state, offer.action) : null;
}
