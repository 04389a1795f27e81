// The keys of the grid: its columns and rows, severities, and the signs for counts and pins.

import { entryOf, keyAction } from "./keys.js";

/** @import { Action } from "./actions.js" */
/** @import { KeyContext, KeyPress } from "./keys.js" */
/** @import { BodyPart, ErrorType } from "./taxonomy.js" */

/** @type {Readonly<Record<ErrorType, string>>} */
export const COLUMN_KEYS = { missing: "M", extra: "X", configuration: "G", orientation: "O", proportion: "P" };
/** @type {Readonly<Record<BodyPart, string>>} */
export const ROW_KEYS = { torso: "T", limbs: "L", feet: "F", hands: "H", face: "E" };

/** @type {Readonly<Record<string, Action>>} */
const GRID_LETTERS = {
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

/** @type {Readonly<Record<string, Action>>} */
const SIGNS = {
  "/": { type: "slash" },
  "+": { type: "step", by: 1 },
  "=": { type: "step", by: 1 },
  "-": { type: "step", by: -1 },
  "−": { type: "step", by: -1 }, // BÉPO has these two with AltGr
  "÷": { type: "slash" },
  ".": { type: "pin.mode" },
};

/** Signs by position, for layouts that have a digit or nothing of use where these were. @type {Readonly<Record<string, Action>>} */
const PLACES = { Minus: { type: "step", by: -1 }, Equal: { type: "step", by: 1 }, Slash: { type: "slash" }, Period: { type: "pin.mode" } };

/**
 * @param {KeyPress} press
 * @param {KeyContext} context
 * @returns {Action | null}
 */
export const gridKeyAction = (press, context) => keyAction(press, context, ofGrid);

/** @param {KeyPress} press @param {string | null} letter @returns {Action | null} */
function ofGrid(press, letter) {
  const sign = entryOf(SIGNS, press.key);
  if (sign) return sign;
  if (letter === "a" || letter === "b" || letter === "c")
    return { type: "severity", severity: letter, off: press.shiftKey ?? false };
  if (letter !== null) return entryOf(GRID_LETTERS, letter);
  const elsewhere = !press.shiftKey && !/\p{Script=Latin}/u.test(press.key);
  return elsewhere ? entryOf(PLACES, press.code ?? "") : null;
}
