// Undo and redo, up to 200 steps per image.

import { MOST_STEPS } from "../labelling/actions.ts";
import { nothingToMessage } from "../labelling/messages.ts";
import { historyMessage } from "./message_texts.ts";
import type { Cell } from "../labelling/taxonomy.ts";
import type { Answer } from "./answer.ts";
import type { Change, State, Step } from "./state.ts";

/** The history after a change in `cell` that replaced `before`. `cell`: null for a change outside the cells. */
export const remembered = (
  { past }: State,
  before: Answer,
  cell: Readonly<Cell> | null,
): { past: readonly Step[]; future: readonly Step[] } => ({
  past: [...past, { answer: before, cell }].slice(-MOST_STEPS),
  future: [],
});

/** Undoes the last change; on an untouched image, asks to withdraw the previous submission. */
export function undo(state: State): Change {
  const step = state.past.at(-1);
  if (!step) {
    const untouched = state.future.length === 0;
    return { message: nothingToMessage("undo"), effects: untouched ? [{ type: "withdraw" }] : [] };
  }
  const future = [...state.future, { answer: state.answer, cell: step.cell }];
  return stepped("Undone", state, step, { past: state.past.slice(0, -1), future });
}

export function redo(state: State): Change {
  const step = state.future.at(-1);
  if (!step) return { message: nothingToMessage("redo") };
  const past = [...state.past, { answer: state.answer, cell: step.cell }];
  return stepped("Redone", state, step, { past, future: state.future.slice(0, -1) });
}

const stepped = (
  done: "Undone" | "Redone",
  { place }: State,
  { answer, cell }: Step,
  history: NonNullable<Change["history"]>,
): Change => ({
  answer,
  history,
  message: historyMessage(done, answer, cell),
  ...(cell ? { cell, place: { at: "cell" } as const } : {}),
  // Without a number of people the focus is on the group, not on one of its numbers.
  effects: cell || place.at === "people" ? [{ type: "focus" }] : [],
});
