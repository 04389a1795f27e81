// The keys of the grid: its columns and rows, severities, and the signs for counts and pins.

import { entryOf, keyAction, type KeyContext, type KeyPress } from "./keys.ts";
import type { Action } from "./actions.ts";
import type { BodyPart, ErrorType } from "./taxonomy.ts";

export const COLUMN_KEYS: Readonly<Record<ErrorType, string>> = { missing: "M", extra: "X", configuration: "G", orientation: "O", proportion: "P" };
export const ROW_KEYS: Readonly<Record<BodyPart, string>> = { torso: "T", limbs: "L", feet: "F", hands: "H", face: "E" };

const GRID_LETTERS: Readonly<Record<string, Action>> = {
  w: { type: "focus.people" },
  m: { type: "column", errorType: "missing" },
  x: { type: "column", errorType: "extra" },
  g: { type: "column", errorType: "configuration" },
  o: { type: "column", errorType: "orientation" },
  p: { type: "column", errorType: "proportion" },
  t: { type: "row", part: "torso" },
  l: { type: "row", part: "limbs" },
  f: { type: "row", part: "feet" },
  h: { type: "row", part: "hands" },
  e: { type: "row", part: "face" },
  y: { type: "yes" },
  d: { type: "dots" },
};

const SIGNS: Readonly<Record<string, Action>> = {
  "/": { type: "slash" },
  "+": { type: "step", by: 1 },
  "=": { type: "step", by: 1 },
  "-": { type: "step", by: -1 },
  "−": { type: "step", by: -1 }, // BÉPO has these two with AltGr
  "÷": { type: "slash" },
  ".": { type: "pin.mode" },
};

/** Signs by position, for layouts that have a digit or nothing of use where these were. */
const PLACES: Readonly<Record<string, Action>> = { Minus: { type: "step", by: -1 }, Equal: { type: "step", by: 1 }, Slash: { type: "slash" }, Period: { type: "pin.mode" } };

export const gridKeyAction = (press: KeyPress, context: KeyContext): Action | null => keyAction(press, context, ofGrid);

function ofGrid(press: KeyPress, letter: string | null): Action | null {
  const sign = entryOf(SIGNS, press.key);
  if (sign) return sign;
  if (letter === "a" || letter === "b" || letter === "c")
    return { type: "severity", severity: letter, off: press.shiftKey ?? false };
  if (letter !== null) return entryOf(GRID_LETTERS, letter);
  const elsewhere = !press.shiftKey && !/\p{Script=Latin}/u.test(press.key);
  return elsewhere ? entryOf(PLACES, press.code ?? "") : null;
}
