// Undo and redo, up to 200 steps per image.

import { MOST_STEPS } from "../labelling/actions.js";
import { nothingToMessage } from "../labelling/messages.js";
import { historyMessage } from "./message_texts.js";

/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */
/** @import { Change, State, Step } from "./state.js" */

/**
 * The history after a change in `cell` that replaced `before`.
 * @param {State} state
 * @param {Answer} before
 * @param {Readonly<Cell> | null} cell null for a change outside the cells
 * @returns {{past: readonly Step[], future: readonly Step[]}}
 */
export const remembered = ({ past }, before, cell) => ({
  past: [...past, { answer: before, cell }].slice(-MOST_STEPS),
  future: [],
});

/**
 * Undoes the last change; on an untouched image, asks to withdraw the previous submission.
 * @param {State} state
 * @returns {Change}
 */
export function undo(state) {
  const step = state.past.at(-1);
  if (!step) {
    const untouched = state.future.length === 0;
    return { message: nothingToMessage("undo"), effects: untouched ? [{ type: "withdraw" }] : [] };
  }
  const future = [...state.future, { answer: state.answer, cell: step.cell }];
  return stepped("Undone", state, step, { past: state.past.slice(0, -1), future });
}

/**
 * @param {State} state
 * @returns {Change}
 */
export function redo(state) {
  const step = state.future.at(-1);
  if (!step) return { message: nothingToMessage("redo") };
  const past = [...state.past, { answer: state.answer, cell: step.cell }];
  return stepped("Redone", state, step, { past, future: state.future.slice(0, -1) });
}

/**
 * @param {"Undone" | "Redone"} done
 * @param {State} state
 * @param {Step} step
 * @param {NonNullable<Change["history"]>} history
 * @returns {Change}
 */
const stepped = (done, { place }, { answer, cell }, history) => ({
  answer,
  history,
  message: historyMessage(done, answer, cell),
  ...(cell ? { cell, place: /** @type {const} */ ({ at: "cell" }) } : {}),
  // Without a number of people the focus is on the group, not on one of its numbers.
  effects: cell || place.at === "people" ? [{ type: "focus" }] : [],
});
