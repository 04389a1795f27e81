// The state of the page for one image, and the actions on it.

import { MOST_STEPS } from "../labelling/actions.js";
import { noErrorsMessage, nothingToMessage, offlineSubmitMessage, submittedMessage, takenMessage } from "../labelling/messages.js";
import { SHARED_ACTS } from "../labelling/remarks.js";
import { cellAt, CELLS, neighbourOf, prescribedAfter } from "../labelling/taxonomy.js";
import { fromPayload, toPayload, withDoubt, withMark } from "./answer.js";
import { arrivalMessage, cellMessage, clearMarksMessage, emptyMessage, guidedMessage, steppedMessage, unansweredMessage } from "./message_texts.js";

/** @import { Message } from "../labelling/messages.js" */
/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Answer, Payload } from "./answer.js" */

/** @typedef {{readonly answer: Answer, readonly cell: Readonly<Cell> | null}} Step */

/**
 * @typedef {object} State
 * @property {Answer} answer as saved and sent
 * @property {Readonly<Cell>} cell the current cell, outlined even while the focus is elsewhere
 * @property {boolean} away the focus is on another control
 * @property {Message} message
 * @property {readonly Step[]} past
 * @property {readonly Step[]} future
 * @property {boolean} guided every cell needs a yes or a no
 * @property {readonly Readonly<Cell>[]} answered cells with a yes or a no
 */

/**
 * The change that an action makes. Omitted fields stay; a changed annotation becomes a step of the history.
 * @typedef {Partial<Omit<State, "past" | "future">> & {where?: Readonly<Cell> | null, history?: {past: readonly Step[], future: readonly Step[]}, effects?: readonly any[]}} Change
 */

const FOCUS = Object.freeze([{ type: "focus" }]);

/**
 * The initial state of the page for an image. In guided mode, the marked cells of a draft count as answered.
 * @param {Partial<Payload>} payload
 * @param {{guided?: boolean, submitted?: {number: number, skipped?: boolean} | null}} [options]
 * @returns {State}
 */
export function openState(payload, { guided = false, submitted = null } = {}) {
  const answer = fromPayload(payload);
  const answered = answer.noErrors ? CELLS : answer.marked;
  const first = /** @type {Readonly<Cell>} */ (CELLS[0]);
  const state = { answer, cell: first, away: false, past: [], future: [], guided, answered };
  return { ...state, message: submitted ? submittedMessage(submitted) : restingMessage(state) };
}

/** @param {Pick<State, "guided" | "answered">} state */
export const restingMessage = ({ guided, answered }) => (guided ? guidedMessage(answered.length) : arrivalMessage());

/**
 * @param {State} state
 * @param {any} action
 * @returns {{state: State, effects: readonly any[]}} the same state if nothing happens
 */
export function dispatch(state, action) {
  const change = ACTS[action.type]?.(state, action) ?? null;
  if (!change) return { state, effects: [] };
  const { where = null, history, effects = [], ...changed } = change;
  const answer = changed.answer && !same(changed.answer, state.answer) ? changed.answer : state.answer;
  const past = answer === state.answer ? {} : remembered(state, where);
  const next = { ...state, ...changed, answer, ...(history ?? past) };
  return { state: { ...next, message: change.message ?? restingMessage(next) }, effects };
}

/** @param {State} state @param {Readonly<Cell> | null} cell of the change */
const remembered = ({ answer, past }, cell) => ({ past: [...past, { answer, cell }].slice(-MOST_STEPS), future: [] });

/** @param {Answer} one @param {Answer} other */
const same = (one, other) => JSON.stringify(toPayload(one)) === JSON.stringify(toPayload(other));

/** @type {Readonly<Record<string, (state: State, action: any) => Change | null>>} */
const ACTS = {
  arrow: ({ cell }, { right, down }) => toCell(neighbourOf(cell, right, down)),
  column: ({ cell }, { errorType }) => toCell(cellAt(errorType, cell.part)),
  row: ({ cell }, { part }) => toCell(cellAt(cell.type, part)),
  edge: ({ cell }, { last }) => toCell(CELLS.at(last ? -1 : 0) ?? cell),
  walk: ({ cell }, { by }) => toCell(prescribedAfter(cell, by) ?? cell),
  "focus.cell": (state, { cell }) => (state.cell === cell && !state.away ? null : { cell, away: false }),
  "focus.away": ({ away, message }) => (away ? null : { away: true, message }),
  toggle: (state, { cell = state.cell }) => marked(state, cell, !state.answer.marked.includes(cell)),
  unmark: (state) => marked(state, state.cell, false),
  doubt: (state, { cell = state.cell }) => doubted(state, cell),
  yes: (state) => (state.guided ? answeredWith(state, true) : null),
  no: (state) => (state.guided ? answeredWith(state, false) : SHARED_ACTS["open"]?.(state, { type: "open", dialog: "note" })),
  enter: pressEnter,
  escape: ({ message }) => (message.offers.length ? {} : null),
  no_errors: switchNoErrors,
  clear: ({ answer }) => ({ answer: { ...answer, marked: [], unsure: [], noErrors: true }, answered: CELLS, message: noErrorsMessage(true) }),
  ...SHARED_ACTS,
  undo,
  redo,
  submit,
  take: (_, { payload }) => ({ answer: fromPayload(payload), message: takenMessage() }),
};

/** @param {Readonly<Cell>} cell @returns {Change} */
const toCell = (cell) => ({ cell, away: false, effects: FOCUS });

/** @param {State} state @param {Readonly<Cell>} cell @returns {Readonly<Cell>[]} */
const alsoAnswered = ({ answered }, cell) => CELLS.filter((each) => each === cell || answered.includes(each));

/** @param {State} state @param {Readonly<Cell>} cell @param {boolean} on @returns {Change} */
function marked(state, cell, on) {
  const answer = withMark(state.answer, cell, on);
  return { ...toCell(cell), answer, answered: alsoAnswered(state, cell), where: cell, message: cellMessage(answer, cell) };
}

/** @param {State} state @param {Readonly<Cell>} cell @returns {Change} */
function doubted(state, cell) {
  const answer = withDoubt(state.answer, cell, !state.answer.unsure.includes(cell));
  return { ...toCell(cell), answer, answered: alsoAnswered(state, cell), where: cell, message: cellMessage(answer, cell) };
}

/** @param {State} state @param {boolean} on @returns {Change} */
function answeredWith(state, on) {
  const { cell } = state;
  const answered = alsoAnswered(state, cell);
  const next = prescribedAfter(cell, 1) ?? CELLS.find((each) => !answered.includes(each)) ?? cell;
  return { ...toCell(next), answer: withMark(state.answer, cell, on), answered, where: cell };
}

/** @param {State} state @returns {Change | null} */
function pressEnter(state) {
  const offer = state.message.offers.find(({ key }) => key === "Enter");
  if (offer) return ACTS[offer.action.type]?.(state, offer.action) ?? null;
  return state.guided ? toCell(prescribedAfter(state.cell, 1) ?? state.cell) : null;
}

/** @param {State} state @returns {Change} */
function switchNoErrors({ answer, answered }) {
  const on = !answer.noErrors;
  if (on && answer.marked.length) return { message: clearMarksMessage(answer.marked.length) };
  return { answer: { ...answer, noErrors: on }, answered: on ? CELLS : answered, message: noErrorsMessage(on) };
}

/**
 * Undoes the last change; on an untouched image, asks to withdraw the previous submission.
 * @param {State} state
 * @returns {Change}
 */
function undo({ answer, past, future }) {
  const step = past.at(-1);
  if (!step) return { message: nothingToMessage("undo"), effects: future.length ? [] : [{ type: "withdraw" }] };
  return stepped("Undone", step, { past: past.slice(0, -1), future: [...future, { answer, cell: step.cell }] });
}

/** @param {State} state @returns {Change} */
function redo({ answer, past, future }) {
  const step = future.at(-1);
  if (!step) return { message: nothingToMessage("redo") };
  return stepped("Redone", step, { past: [...past, { answer, cell: step.cell }], future: future.slice(0, -1) });
}

/** @param {"Undone" | "Redone"} done @param {Step} step @param {NonNullable<Change["history"]>} history @returns {Change} */
const stepped = (done, { answer, cell }, history) => ({
  ...(cell ? toCell(cell) : {}),
  answer,
  history,
  message: steppedMessage(done, answer, cell),
});

/** @param {State} state @param {{offline?: boolean}} action @returns {Change} */
function submit(state, { offline = false }) {
  const { answer, answered, guided, message } = state;
  const open = guided ? CELLS.filter((cell) => !answered.includes(cell)) : [];
  if (open[0]) return { ...toCell(open[0]), message: unansweredMessage(open.length, open[0]) };
  if (!answer.marked.length && !answer.noErrors) return { message: emptyMessage() };
  return offline ? { message: offlineSubmitMessage() } : { message, effects: [{ type: "submit" }] };
}
