// More affected parts than the total: the page asks once, and again when the annotation is submitted.

import { CELLS } from "../labelling/taxonomy.js";
import { correctExcessMessage, excessConfirmedMessage, excessMessage } from "./message_texts.js";
import { toCell } from "./typing.js";
import { doubtIn, excessIn, excessName } from "./warnings.js";

/** @import { Action, Effect } from "../labelling/actions.js" */
/** @import { Cell } from "../labelling/taxonomy.js" */
/** @import { Answer } from "./answer.js" */
/** @import { Change, State } from "./state.js" */

/**
 * Asks about the first cell in doubt before a submission; null if there is none.
 * @param {Answer} answer
 * @returns {Change | null}
 */
export function askBeforeSubmitting(answer) {
  const cell = CELLS.find((each) => doubtIn(answer, each));
  const doubt = cell && doubtIn(answer, cell);
  if (!cell || !doubt) return null;
  return { ...toCell(cell), message: excessMessage(cell, doubt, "stop", { named: true, submit: true }) };
}

/**
 * Records that one part of the cell has two errors.
 * @param {State} state
 * @param {Readonly<Cell>} cell
 * @param {boolean} submits continue with the requested submission
 * @returns {Change | null}
 */
export function confirmExcess({ answer }, cell, submits) {
  const excess = excessIn(answer, cell);
  if (!excess) return null;
  const others = answer.confirmed.filter((name) => !name.startsWith(`${cell.key} `));
  const confirmed = [...others, excessName(cell, excess)];
  const change = { ...toCell(cell), answer: { ...answer, confirmed }, message: excessConfirmedMessage(cell) };
  const effects = submits ? [AGAIN] : (change.effects ?? []);
  return { ...change, where: cell, effects };
}

/** @type {Effect} */
const AGAIN = { type: "again", action: { type: "submit" } };

/**
 * Goes to the cell. Its marks do not change.
 * @param {Readonly<Cell>} cell
 * @returns {Change}
 */
export const correctExcess = (cell) => ({ ...toCell(cell), message: correctExcessMessage() });

/**
 * Accepts the offer in the message line whose key is Y.
 * @param {State} state
 * @param {(state: State, action: Action) => Change | null} act
 * @returns {Change | null}
 */
export function pressYes(state, act) {
  const offer = state.message.offers.find(({ key }) => key === "Y");
  return offer ? act(state, offer.action) : null;
}
