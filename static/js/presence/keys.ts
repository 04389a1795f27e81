// Map key presses, clicks and the focus to actions. The protocols share navigation and the actions on the whole image.
// The texts of the keyboard help.

import { gridKeyAction, type KeyContext, type KeyPress, letterOf, takesSingleKeys } from "../labelling/keys.ts";
import { wholeImageAction } from "../labelling/targets.ts";
import { cellAt } from "../labelling/taxonomy.ts";

const SHARED = new Set([
  "arrow", "column", "row", "edge", "enter", "escape", "navigate", "open", "undo", "redo", "submit",
  "close", "confirm", "choose", "yes", "zoom",
]);


const LETTERS: Readonly<Record<string, { type: string }>> = { u: { type: "doubt" }, z: { type: "undo" } };

/** Null leaves the key to the browser. */
export function keyAction(press: KeyPress, context: KeyContext): any {
  const action = gridKeyAction(press, context);
  if (action?.type === "open" && action.dialog === "note") return { type: "no" };
  if (action?.type === "digit") return digitAction(action.digit);
  if (action?.type === "backspace" || action?.type === "delete") return { type: "unmark" };
  if (action) return SHARED.has(action.type) ? action : null;
  if (!takesSingleKeys(press, context)) return null;
  if (press.key === " ") return context.onControl ? null : { type: "toggle" };
  return LETTERS[letterOf(press) ?? ""] ?? null;
}

function digitAction(digit: number) {
  if (digit === 1) return { type: "toggle" };
  return digit === 0 ? { type: "no_errors" } : null;
}

/** The action of a click on a target: "toggle:missing.limbs", "doubt:missing.limbs", "none". */
export function clickAction(target: string): any {
  const [what, key = ""] = target.split(":");
  if (what === "toggle" || what === "doubt") return { type: what, cell: cellAt(key) };
  if (target === "yes" || target === "no") return { type: target };
  return wholeImageAction(target);
}

export function focusAction(target: Element) {
  const cell = target.closest<HTMLElement>("[data-cell]")?.dataset.cell;
  return cell ? { type: "focus.cell", cell: cellAt(cell) } : { type: "focus.away" };
}

export const KEYS: readonly (readonly [string, string])[] = [
  ["M X G O P", "column: Missing, eXtra, confiGuration, Orientation, Proportion"],
  ["T L F H E", "row: Torso, Limbs, Feet, Hands, facE"],
  ["← → ↑ ↓", "neighbouring cell"],
  ["Tab", "next cell in the prescribed order"],
  ["Home End", "first or last cell"],
  ["Space 1", "mark or unmark the cell"],
  ["U", "mark as unsure"],
  ["Y N", "in guided mode: yes or no, then the next cell"],
  ["Del", "remove the mark"],
  ["0", "no errors in this image"],
  ["N", "note, unless the batch is guided"],
  ["R", "rules and examples of the project for this cell"],
  ["Z", "undo; Ctrl Shift Z redoes"],
];

export const POINTER = ["Click a cell to mark it. Click it again to remove the mark.", "Click “unsure” in a marked cell if you are not sure."];

export const REMINDERS = [
  "Judge at first glance: do not zoom or search.",
  "Use one mark per cell, however many parts are affected and however severely.",
  "Skin and texture are not errors.",
  "Objects count only where they damage a body part.",
  "Judge the image, not the prompt.",
  "A missing forearm includes its hand: mark it once.",
];
