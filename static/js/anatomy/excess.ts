// More affected parts than the total: the page asks once, and again when the annotation is submitted.

import { type Cell, CELLS } from "../labelling/taxonomy.ts";
import { correctExcessMessage, excessConfirmedMessage, excessMessage } from "./message_texts.ts";
import { toCell } from "./typing.ts";
import { doubtIn, excessIn, excessName } from "./warnings.ts";
import type { Action, Effect } from "../labelling/actions.ts";
import type { Answer } from "./answer.ts";
import type { Change, State } from "./state.ts";

/** Asks about the first cell in doubt before a submission; null if there is none. */
export function askBeforeSubmitting(answer: Answer): Change | null {
  const cell = CELLS.find((each) => doubtIn(answer, each));
  const doubt = cell && doubtIn(answer, cell);
  if (!cell || !doubt) return null;
  return { ...toCell(cell), message: excessMessage(cell, doubt, "stop", { named: true, submit: true }) };
}

/** Records that one part of the cell has two errors. `submits`: continue with the requested submission. */
export function confirmExcess({ answer }: State, cell: Readonly<Cell>, submits: boolean): Change | null {
  const excess = excessIn(answer, cell);
  if (!excess) return null;
  const others = answer.confirmed.filter((name) => !name.startsWith(`${cell.key} `));
  const confirmed = [...others, excessName(cell, excess)];
  const change = { ...toCell(cell), answer: { ...answer, confirmed }, message: excessConfirmedMessage(cell) };
  const effects = submits ? [AGAIN] : (change.effects ?? []);
  return { ...change, where: cell, effects };
}

const AGAIN: Effect = { type: "again", action: { type: "submit" } };

/** Goes to the cell. Its marks do not change. */
export const correctExcess = (cell: Readonly<Cell>): Change => ({ ...toCell(cell), message: correctExcessMessage() });

/** Accepts the offer in the message line whose key is Y. */
export function pressYes(state: State, act: (state: State, action: Action) => Change | null): Change | null {
  const offer = state.message.offers.find(({ key }) => key === "Y");
  return offer ? act(state, offer.action) : null;
}
