// What a key or a click can mean, and what an action asks of the page. A protocol takes the actions that it knows.

import type { BodyPart, Cell, CountKind, ErrorType, Severity } from "./taxonomy.ts";

export type MarkName = { readonly cell: Cell; readonly severity: Severity };

export type DialogName = "note" | "flag" | "ask" | "help" | "guideline" | "settings";

/** First the actions of keys, whose meaning depends on the focus; then actions that name their object. */
export type Action =
  | { type: "digit"; digit: number }
  | { type: "severity"; severity: Severity; off: boolean }
  | { type: "step"; by: 1 | -1 }
  | { type: "arrow"; right: number; down: number; far: boolean }
  | { type: "column"; errorType: ErrorType }
  | { type: "row"; part: BodyPart }
  | { type: "edge"; last: boolean }
  | { type: "slash" | "backspace" | "delete" | "enter" | "escape" }
  | { type: "walk"; by: 1 | -1 }
  | { type: "focus.cell"; cell: Cell }
  | { type: "focus.people" | "focus.away" }
  | { type: "focus.pin"; cell: Cell; severity: Severity; index: number }
  | { type: "people.set"; people: number }
  | { type: "mark.add"; cell: Cell; severity: Severity; by: number }
  | { type: "mark.put"; cell: Cell; severity: Severity; affected: number; total?: number }
  | { type: "mark.total"; cell: Cell; severity: Severity; total: number }
  | { type: "cell.empty"; cell: Cell }
  | { type: "count.step"; kind: CountKind; part: BodyPart; by: 1 | -1 }
  | { type: "count.set"; kind: CountKind; part: BodyPart; count: number }
  | { type: "count.raise"; cell: Cell; severity: Severity; affected: number }
  | { type: "pin.mode"; mark?: MarkName }
  | { type: "pin.add"; x: number; y: number }
  | { type: "pin.remove"; cell: Cell; severity: Severity; index: number }
  | { type: "dot.move"; right: number; down: number }
  | { type: "dot.remove"; part: BodyPart; index: number }
  | { type: "suggestion.take"; part: BodyPart; all: boolean }
  | { type: "zoom"; by?: number }
  | { type: "excess.correct"; cell: Cell }
  | { type: "excess.confirm"; cell: Cell; submit: boolean }
  | { type: "no_errors"; clear?: boolean }
  | { type: "note"; note: string }
  | { type: "flag"; reason: string; note: string }
  | { type: "skip"; reason: string; note: string }
  | { type: "undo" | "redo" | "unflag" | "dots" | "yes" }
  | { type: "submit"; offline?: boolean }
  | { type: "take"; payload: any }
  | { type: "navigate"; by: 1 | -1 }
  | { type: "open"; dialog: DialogName }
  | { type: "close" | "confirm" }
  | { type: "choose"; place: number }
  | { type: "tag"; tag: number; on: boolean };

/**
 * save: the annotation has changed. focus: move the focus to `place`. withdraw: undo the last submission. again: carry
 * out another action. The page carries out all others.
 */
export type Effect =
  | { type: "save" | "focus" | "withdraw" }
  | { type: "again"; action: Action }
  | Extract<Action, { type: "submit" | "skip" | PassedOn }>;

type PassedOn = "navigate" | "zoom" | "open" | "close" | "confirm" | "choose";

/** How many changes of an image can be undone. */
export const MOST_STEPS = 200;
