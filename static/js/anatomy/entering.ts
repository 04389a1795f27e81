// Enter and correct people, counts, marks and pins.

import { markAt } from "./answer.ts";
import { type Outcome, setPeople } from "./counts.ts";
import { addPin, placeOnImage, putMark, putMarkOutOf } from "./marks.ts";
import { allPinnedMessage, anatomyMessage, pinningMessage } from "./message_texts.ts";
import { type Change, lastTouched, type State } from "./state.ts";
import type { MarkName } from "../labelling/actions.ts";
import type { Cell, Severity } from "../labelling/taxonomy.ts";

/** The change for an outcome in a cell; null if nothing happens. The severity is that of the mark it touches. */
export function inCell(outcome: Outcome | null, cell: Cell, severity?: Severity): Change | null {
  if (!outcome) return null;
  const change: Change = { ...outcome, cell, where: cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  return severity ? { ...change, touched: { cell, severity } } : change;
}

export const enterPeople = ({ answer }: State, people: number): Change => ({
  ...setPeople(answer, people),
  where: null,
  place: { at: "people" },
  effects: [{ type: "focus" }],
});

/** Adds affected parts to a mark, or removes some. Changes no mark if there are none to remove. */
export function addToMark({ answer }: State, cell: Cell, severity: Severity, by: number): Change | null {
  const affected = markAt(answer, cell, severity)?.affected ?? 0;
  if (by < 0 && affected === 0) return { cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  return inCell(putMark(answer, cell, severity, Math.max(0, affected + by)), cell, severity);
}

/** The total is one that was typed with the mark. */
export function enterMark({ answer }: State, cell: Cell, severity: Severity, affected: number, total?: number) {
  const alone = total === undefined;
  const outcome = alone ? putMark(answer, cell, severity, affected) : putMarkOutOf(answer, cell, severity, affected, total);
  return inCell(outcome, cell, severity);
}

/**
 * Starts pin mode for a mark, with the cross in the middle or on its last pin. Ends it if it was on. By default, it is
 * the mark last touched.
 */
export function pinMode(state: State, name: MarkName | null = lastTouched(state)): Change {
  const mark = name && markAt(state.answer, name.cell, name.severity);
  if (!mark) return { message: anatomyMessage("nothing_to_pin") };
  const { cell, severity, affected, pins } = mark;
  const touched = { cell, severity };
  const change: Change = { touched, cell, place: { at: "cell" }, effects: [{ type: "focus" }] };
  if (state.pinning?.cell === cell && state.pinning.severity === severity) return change;
  if (pins.length >= affected) return { ...change, message: allPinnedMessage(cell, severity, affected) };
  const { x, y } = pins.at(-1) ?? { x: 0.5, y: 0.5 };
  return { ...change, pinning: { cell, severity, x, y }, message: pinningMessage(cell, severity) };
}

/** Pins the mark of pin mode, or the mark last touched. Pin mode stays on while the mark has parts without a pin. */
export function enterPin(state: State, x: number, y: number): Change | null {
  const name = state.pinning ?? lastTouched(state);
  const pin = placeOnImage(x, y);
  if (!name || !pin) return pin && { message: anatomyMessage("nothing_to_pin") };
  const { cell, severity } = name;
  const outcome = addPin(state.answer, cell, severity, pin);
  if (!outcome) return null;
  const mark = markAt(outcome.answer, cell, severity);
  const more = state.pinning && mark && mark.pins.length < mark.affected;
  // The focus stays where it was.
  return {
    ...outcome,
    where: cell,
    touched: { cell, severity },
    ...(more ? { pinning: { cell, severity, ...pin } } : {}),
  };
}
