// Map key presses to actions. Null leaves the key to the browser. The keys of the grid: its columns and rows,
// severities, and the signs for counts and pins.

import type { Action, DialogName } from "./actions.ts";
import type { BodyPart, ErrorType } from "./taxonomy.ts";

/** The fields of a KeyboardEvent that are read here. */
export interface KeyPress {
  key: string;
  code?: string;
  shiftKey?: boolean;
  ctrlKey?: boolean;
  metaKey?: boolean;
  altKey?: boolean;
  repeat?: boolean;
  isComposing?: boolean;
  keyCode?: number;
  getModifierState?: (modifier: "AltGraph") => boolean;
}

/** The context in which the key was pressed. */
export interface KeyContext {
  inArea: boolean; // the focus is in the annotation area
  inText?: boolean; // the focus is in a text field
  input?: string; // the type of the input that has the focus
  onControl?: boolean; // the focus is on a separate button or link, which Enter and Space activate
  dialog?: DialogName | "keypad" | null; // the dialog that is open
  singleKeys?: boolean; // false if the annotator has turned them off
  counting?: readonly [number, number] | null; // the size of the image in CSS px while arrows move a cross on it
}

const LETTERS: Readonly<Record<string, Action>> = {
  n: { type: "open", dialog: "note" },
  s: { type: "open", dialog: "flag" },
  v: { type: "zoom" },
  q: { type: "open", dialog: "ask" },
  r: { type: "open", dialog: "guideline" },
};

export const ARROWS: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const NAMED: Readonly<Record<string, Action>> = {
  Home: { type: "edge", last: false },
  End: { type: "edge", last: true },
  Backspace: { type: "backspace" },
  Delete: { type: "delete" },
  Enter: { type: "enter" },
  Escape: { type: "escape" },
  PageUp: { type: "navigate", by: -1 },
  PageDown: { type: "navigate", by: 1 },
};

export const entryOf = <T>(table: Readonly<Record<string, T>>, key: string): T | null => (Object.hasOwn(table, key) ? (table[key] ?? null) : null);

/** How far an arrow key moves the cross of counting; with Alt, by 1. */
const DOT_STEP_PX = 8;

/** Actions that a held key repeats. All others need a new key press. */
const REPEATING = new Set(["arrow", "dot.move", "step", "backspace", "undo", "redo"]);

/** What only one protocol's keys mean. `letter` is null for a key without one. */
type OwnKeys = (press: KeyPress, letter: string | null) => any;

export function keyAction(press: KeyPress, context: KeyContext, own: OwnKeys = () => null): any {
  if (press.isComposing || press.keyCode === 229 || press.key === "Process" || press.key === "Dead") return null;
  const action = wantedAction(press, context, own);
  return action && press.repeat && !REPEATING.has(action.type) ? null : action;
}

/** Whether a key that only one protocol knows may act here. */
export const takesSingleKeys = (press: KeyPress, context: KeyContext) =>
  keyAction({ ...press, key: "n", code: "KeyN", shiftKey: false }, context) !== null;

function wantedAction(press: KeyPress, context: KeyContext, own: OwnKeys): any {
  const composed = press.getModifierState?.("AltGraph") ?? false;
  if (!composed && (press.ctrlKey || press.metaKey)) return press.altKey ? null : withControl(press, context);
  if (press.altKey && !composed && !(context.counting && entryOf(ARROWS, press.key))) return null;
  if (context.dialog) return inDialog(press, context);
  if (context.inText || !context.inArea) return null;
  return named(press, context) ?? (context.singleKeys === false ? null : single(press, own));
}

function withControl(press: KeyPress, { inText, dialog }: KeyContext): Action | null {
  if (press.key === "Enter") return dialog ? { type: "confirm" } : { type: "submit" };
  if (inText || dialog) return null;
  const letter = letterOf(press);
  if (letter === "z") return { type: press.shiftKey ? "redo" : "undo" };
  return letter === "y" && !press.shiftKey ? { type: "redo" } : null;
}

function inDialog(press: KeyPress, { dialog, inText, singleKeys }: KeyContext): Action | null {
  if (press.key === "Escape") return { type: "close" };
  if (inText || singleKeys === false) return null;
  if (dialog === "help" && press.key === "?") return { type: "close" };
  if (dialog === "guideline" && letterOf(press) === "r") return { type: "close" };
  const place = dialog === "flag" ? digitOf(press) : null;
  return place ? { type: "choose", place } : null;
}

function named(
  { key, shiftKey = false, altKey = false }: KeyPress,
  { onControl, counting }: KeyContext,
): Action | null {
  const arrow = entryOf(ARROWS, key);
  if (arrow && counting) {
    const px = altKey ? 1 : DOT_STEP_PX;
    return { type: "dot.move", right: (arrow[0] * px) / counting[0], down: (arrow[1] * px) / counting[1] };
  }
  if (arrow) return { type: "arrow", right: arrow[0], down: arrow[1], far: shiftKey };
  if (key === "Enter" && onControl) return null;
  return entryOf(NAMED, key);
}

function single(press: KeyPress, own: OwnKeys): any {
  const digit = digitOf(press);
  if (digit !== null) return { type: "digit", digit };
  if (press.key === "?") return { type: "open", dialog: "help" };
  const letter = letterOf(press);
  return entryOf(LETTERS, letter ?? "") ?? own(press, letter);
}

/** The Latin letter of a key, ignoring Caps Lock; on non-Latin layouts, the letter at that position. */
export function letterOf({ key, code = "" }: KeyPress): string | null {
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  const elsewhere = /^\p{L}$/u.test(key) && !/\p{Script=Latin}/u.test(key) && /^Key([A-Z])$/.exec(code);
  return elsewhere ? (elsewhere[1] ?? "").toLowerCase() : null;
}

/** The digit of a key. Where a layout has no digits without Shift, or those of another script, the position counts. */
function digitOf({ key, code = "", shiftKey, getModifierState }: KeyPress): number | null {
  if (/^[0-9]$/.test(key)) return Number(key);
  const place = shiftKey || getModifierState?.("AltGraph") ? null : /^Digit([0-9])$/.exec(code);
  return place ? Number(place[1]) : null;
}

export const COLUMN_KEYS: Readonly<Record<ErrorType, string>> = { missing: "M", extra: "X", configuration: "G", orientation: "O", proportion: "P" };
export const ROW_KEYS: Readonly<Record<BodyPart, string>> = { torso: "T", limbs: "L", feet: "F", hands: "H", face: "E" };

const lettersOf = (keys: Readonly<Record<string, string>>, type: string, what: string) =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [key.toLowerCase(), { type, [what]: name }]));

const GRID_LETTERS: Readonly<Record<string, Action>> = {
  ...lettersOf(COLUMN_KEYS, "column", "errorType"),
  ...lettersOf(ROW_KEYS, "row", "part"),
  w: { type: "focus.people" },
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
