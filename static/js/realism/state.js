// The state of the page for one image, and the actions on it. Rating an image also submits it.

import { message, nothingToMessage, offlineSubmitMessage, submittedMessage, takenMessage } from "../labelling/messages.js";
import { keepFlag, keepNote, removeFlag, skipImage, tickTag } from "../labelling/remarks.js";
import { fromPayload, inWords, isComplete, REASONS, toPayload } from "./answer.js";

/** @import { Message } from "../labelling/messages.js" */
/** @import { Answer, Payload } from "./answer.js" */

/**
 * @typedef {object} State
 * @property {Answer} answer as saved and sent
 * @property {Message} message
 * @property {boolean} choosing the next digit is a reason
 * @property {{number: number, answer?: Answer | undefined, skipped?: boolean} | null} before the image submitted just before
 * @property {readonly never[]} past always empty: undo withdraws the last rating, not a step
 * @property {readonly never[]} future always empty
 */

/** @typedef {Partial<State> & {effects?: readonly any[]}} Change */

/**
 * The initial state of the page for an image.
 * @param {Partial<Payload>} payload
 * @param {{submitted?: State["before"]}} [options]
 * @returns {State}
 */
export function openState(payload, { submitted = null } = {}) {
  const state = { answer: fromPayload(payload), choosing: false, before: submitted, past: [], future: [] };
  return { ...state, message: submitted ? storedMessage(submitted) : restingMessage(state) };
}

/** @param {Pick<State, "answer" | "choosing">} state @returns {Message} */
export function restingMessage({ answer, choosing }) {
  if (choosing) return message("info", "choosing", "Why is it invalid? Press `1` to `5`, or `Esc`.");
  if (isComplete(answer)) return message("ok", "rated", `**${inWords(answer)}**. \`Ctrl Enter\` submits it; another rating replaces it.`);
  if (answer.invalid) return message("info", "note_needed", "Say why it is invalid: `N` opens the note. Then `Enter` submits.");
  return message("info", "arrival", "Judge the body only. `1` to `9`, and `0` for 10, rate the image and open the next.");
}

/** @param {NonNullable<State["before"]>} before @returns {Message} */
const storedMessage = ({ answer, ...before }) =>
  answer ? message("ok", "submitted", `**${inWords(answer)}** saved for image ${before.number}.`, submittedMessage(before).offers) : submittedMessage(before);

const emptyMessage = () => message("stop", "empty", "Not submitted: rate the image from 1 to 10, or say why it is invalid.");

/**
 * @param {State} state
 * @param {any} action
 * @returns {{state: State, effects: readonly any[]}} the same state if nothing happens
 */
export function dispatch(state, action) {
  const change = ACTS[action.type]?.(state, action) ?? null;
  if (!change) return { state, effects: [] };
  const { effects = [], ...changed } = change;
  const answer = changed.answer && !same(changed.answer, state.answer) ? changed.answer : state.answer;
  const next = { ...state, choosing: false, ...changed, answer };
  return { state: { ...next, message: change.message ?? restingMessage(next) }, effects };
}

/** @param {Answer} one @param {Answer} other */
const same = (one, other) => JSON.stringify(toPayload(one)) === JSON.stringify(toPayload(other));

/** @type {Readonly<Record<string, (state: State, action: any) => Change | null>>} */
const ACTS = {
  digit: (state, { digit }) => (state.choosing ? invalidBy(state, REASONS[digit - 1]?.code) : rated(state, digit || 10)),
  rate: (state, { rating }) => rated(state, rating),
  invalid: (state, { reason }) => (reason ? invalidBy(state, reason) : { choosing: true }),
  enter: (state) => (isComplete(state.answer) ? submitted(state) : {}),
  escape: (state) => (state.choosing ? {} : null),
  note: (state, { note }) => keepNote(state, note),
  flag: (state, { reason, note }) => keepFlag(state, reason, note),
  unflag: (state) => removeFlag(state),
  tag: (state, { tag, on }) => tickTag(state, tag, on),
  skip: (state, { reason, note }) => skipImage(state, reason, note),
  undo: () => ({ message: nothingToMessage("undo"), effects: [{ type: "withdraw" }] }),
  submit: (state, { offline = false }) => (offline ? { message: offlineSubmitMessage() } : submitted(state)),
  take: (_, { payload }) => ({ answer: fromPayload(payload), message: takenMessage() }),
  navigate: passedOn,
  open: passedOn,
  close: passedOn,
  confirm: passedOn,
  choose: passedOn,
};

/** @param {State} state @param {object} effect @returns {Change} */
function passedOn({ message: said, choosing }, effect) {
  return { message: said, choosing, effects: [effect] };
}

// Submitting is an action of its own, so that the desk can refuse it while offline.
const THEN_SUBMIT = Object.freeze([{ type: "again", action: { type: "submit" } }]);

/** @param {State} state @param {number} rating @returns {Change} */
const rated = ({ answer }, rating) => ({ answer: { ...answer, rating, invalid: null }, effects: THEN_SUBMIT });

/** @param {State} state @param {string | undefined} reason @returns {Change} */
function invalidBy(state, reason) {
  if (!reason) return { choosing: true };
  const answer = { ...state.answer, rating: null, invalid: reason };
  return { answer, effects: isComplete(answer) ? THEN_SUBMIT : [{ type: "open", dialog: "note" }] };
}

/** @param {State} state @returns {Change} */
function submitted({ answer, message: said }) {
  if (isComplete(answer)) return { message: said, effects: [{ type: "submit" }] };
  return answer.invalid ? { effects: [{ type: "open", dialog: "note" }] } : { message: emptyMessage() };
}
