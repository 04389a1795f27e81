// The state of the page for one image, and the actions on it. The texts of the message line for the presence protocol.

import { type History, historyActs, remembered } from "../labelling/history.ts";
import { message, noErrorsMessage, sayings, sharedMessage, submittedMessage } from "../labelling/messages.ts";
import type { Message } from "../labelling/messages.ts";
import { SHARED_ACTS } from "../labelling/remarks.ts";
import { type Cell, cellAt, CELLS, neighbourOf, prescribedAfter } from "../labelling/taxonomy.ts";
import { type Answer, fromPayload, inWords, type Payload, toPayload, withDoubt, withMark } from "./answer.ts";

type Step = { readonly answer: Answer; readonly cell: Cell | null };

export interface State extends History<Step> {
  answer: Answer; // as saved and sent
  cell: Cell; // the current cell, outlined even while the focus is elsewhere
  away: boolean; // the focus is on another control
  message: Message;
  guided: boolean; // every cell needs a yes or a no
  answered: readonly Cell[]; // cells with a yes or a no
}

/** The change that an action makes. Omitted fields stay; a changed annotation becomes a step of the history. */
type Change = Partial<State> & {
  where?: Cell | null;
  effects?: readonly any[];
};

const FOCUS = Object.freeze([{ type: "focus" }]);

/** The initial state of the page for an image. In guided mode, the marked cells of a draft count as answered. */
export function openState(
  payload: Partial<Payload>,
  { guided = false, submitted = null }: { guided?: boolean; submitted?: { number: number; skipped?: boolean } | null } = {},
): State {
  const answer = fromPayload(payload);
  const answered = answer.noErrors ? CELLS : answer.marked;
  const first = CELLS[0] as Cell;
  const state = { answer, cell: first, away: false, past: [], future: [], guided, answered };
  return { ...state, message: submitted ? submittedMessage(submitted) : restingMessage(state) };
}

export const restingMessage = ({ guided, answered }: Pick<State, "guided" | "answered">) =>
  (guided ? guidedMessage(answered.length) : presenceMessage("arrival"));

/** The state is the same one if nothing happens. */
export function dispatch(state: State, action: any): { state: State; effects: readonly any[] } {
  const change = ACTS[action.type]?.(state, action) ?? null;
  if (!change) return { state, effects: [] };
  const { where: cell = null, effects = [], ...changed } = change;
  const answer = changed.answer && !same(changed.answer, state.answer) ? changed.answer : state.answer;
  const past = answer === state.answer ? {} : remembered<Step>(state, { answer: state.answer, cell });
  const next = { ...state, ...past, ...changed, answer };
  return { state: { ...next, message: change.message ?? restingMessage(next) }, effects };
}

const same = (one: Answer, other: Answer) => JSON.stringify(toPayload(one)) === JSON.stringify(toPayload(other));

const ACTS: Readonly<Record<string, (state: State, action: any) => Change | null>> = {
  arrow: ({ cell }, { right, down }) => toCell(neighbourOf(cell, right, down)),
  column: ({ cell }, { errorType }) => toCell(cellAt(errorType, cell.part)),
  row: ({ cell }, { part }) => toCell(cellAt(cell.type, part)),
  edge: ({ cell }, { last }) => toCell(CELLS.at(last ? -1 : 0) ?? cell),
  walk: ({ cell }, { by }) => toCell(prescribedAfter(cell, by) ?? cell),
  "focus.cell": (state, { cell }) => (state.cell === cell && !state.away ? null : { cell, away: false }),
  "focus.away": ({ away, message }) => (away ? null : { away: true, message }),
  toggle: (state, { cell = state.cell }) => changed(state, cell, withMark(state.answer, cell, !state.answer.marked.includes(cell))),
  unmark: (state) => changed(state, state.cell, withMark(state.answer, state.cell, false)),
  doubt: (state, { cell = state.cell }) => changed(state, cell, withDoubt(state.answer, cell, !state.answer.unsure.includes(cell))),
  yes: (state) => (state.guided ? answeredWith(state, true) : null),
  no: (state) => (state.guided ? answeredWith(state, false) : SHARED_ACTS["open"]?.(state, { type: "open", dialog: "note" })),
  enter: pressEnter,
  escape: ({ message }) => (message.offers.length ? {} : null),
  no_errors: switchNoErrors,
  clear: ({ answer }) => ({ answer: { ...answer, marked: [], unsure: [], noErrors: true }, answered: CELLS, message: noErrorsMessage(true) }),
  ...SHARED_ACTS,
  ...historyActs(({ answer }: State, { cell }: Step): Step => ({ answer, cell }), stepped),
  submit,
  take: (_, { payload }) => ({ answer: fromPayload(payload), message: sharedMessage("taken") }),
};

const toCell = (cell: Cell): Change => ({ cell, away: false, effects: FOCUS });

const alsoAnswered = ({ answered }: State, cell: Cell): Cell[] =>
  CELLS.filter((each) => each === cell || answered.includes(each));

const changed = (state: State, cell: Cell, answer: Answer): Change => ({
  ...toCell(cell),
  answer,
  answered: alsoAnswered(state, cell),
  where: cell,
  message: cellMessage(answer, cell),
});

function answeredWith(state: State, on: boolean): Change {
  const { cell } = state;
  const answered = alsoAnswered(state, cell);
  const next = prescribedAfter(cell, 1) ?? CELLS.find((each) => !answered.includes(each)) ?? cell;
  return { ...toCell(next), answer: withMark(state.answer, cell, on), answered, where: cell };
}

function pressEnter(state: State): Change | null {
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return ACTS[offer.action.type]?.(state, offer.action) ?? null;
  return state.guided ? toCell(prescribedAfter(state.cell, 1) ?? state.cell) : null;
}

function switchNoErrors({ answer, answered }: State): Change {
  const on = !answer.noErrors;
  if (on && answer.marked.length) return { message: clearMarksMessage(answer.marked.length) };
  return { answer: { ...answer, noErrors: on }, answered: on ? CELLS : answered, message: noErrorsMessage(on) };
}

function stepped(done: "Undone" | "Redone", { answer, cell }: Step): Change {
  return { ...(cell ? toCell(cell) : {}), answer, message: steppedMessage(done, answer, cell) };
}

function submit(state: State, { offline = false }: { offline?: boolean }): Change {
  const { answer, answered, guided, message } = state;
  const open = guided ? CELLS.filter((cell) => !answered.includes(cell)) : [];
  if (open[0]) return { ...toCell(open[0]), message: unansweredMessage(open.length, open[0]) };
  if (!answer.marked.length && !answer.noErrors) return { message: emptyMessage() };
  return offline ? { message: sharedMessage("offline") } : { message, effects: [{ type: "submit" }] };
}

const presenceMessage = sayings({
  arrival: ["info", "Judge at first glance.[[ `Space` marks a cell, `U` marks it as unsure, arrow keys go to another.]]"],
  all_answered: ["info", "All 25 cells answered.[[ `Ctrl Enter` submits.]]"],
});

const guidedMessage = (answered: number) =>
  answered < CELLS.length
    ? message("info", "guided", `Do you see this error?[[ \`Y\` yes, \`N\` no.]] ${answered} of ${CELLS.length} answered.`)
    : presenceMessage("all_answered");

const cellMessage = (answer: Answer, cell: Cell) =>
  message("ok", "marks", `${cell.title}: ${inWords(answer, cell) || "not marked"}`);

const clearMarksMessage = (marked: number) =>
  message("stop", "no_errors_over_marks", marked === 1 ? "Clear the mark?" : `Clear the ${marked} marks?`, [
    { label: "Clear marks, set “No errors”", key: "Enter", action: { type: "clear" } },
  ]);

const emptyMessage = () =>
  message("stop", "empty", "Not submitted: mark a cell, or choose “No errors”.", [
    { label: "No errors", key: "0", action: { type: "no_errors" } },
    { label: "Flag or skip", key: "S", action: { type: "open", dialog: "flag" } },
  ]);

const unansweredMessage = (left: number, cell: Cell) =>
  message("stop", "unanswered", `Not submitted: ${left === 1 ? `${cell.title} is` : `${left} cells, from ${cell.title} on, are`} unanswered. Press \`Y\` or \`N\`.`);

export const steppedMessage = (done: "Undone" | "Redone", answer: Answer, cell: Cell | null) =>
  message("ok", done.toLowerCase(), cell ? `${done}. ${cell.title}: ${inWords(answer, cell) || "not marked"}` : `${done}.`);
