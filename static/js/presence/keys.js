// Map key presses, clicks and the focus to actions. The protocols share navigation and the actions on the whole image.

import { gridKeyAction } from "../labelling/grid_keys.js";
import { letterOf, takesSingleKeys } from "../labelling/keys.js";
import { wholeImageAction } from "../labelling/targets.js";
import { cellAt } from "../labelling/taxonomy.js";

/** @import { KeyContext, KeyPress } from "../labelling/keys.js" */

const SHARED = new Set([
  "arrow", "column", "row", "edge", "enter", "escape", "navigate", "open", "undo", "redo", "submit",
  "close", "confirm", "choose", "yes", "zoom",
]);
const SHARED_CLICKS = new Set(["no_errors", "submit", "undo", "redo", "open", "navigate", "walk", "zoom"]);

/** @type {Readonly<Record<string, {type: string}>>} */
const LETTERS = { u: { type: "doubt" }, z: { type: "undo" } };

/**
 * @param {KeyPress} press
 * @param {KeyContext} context
 * @returns {any} null leaves the key to the browser
 */
export function keyAction(press, context) {
  const action = gridKeyAction(press, context);
  if (action?.type === "open" && action.dialog === "note") return { type: "no" };
  if (action?.type === "digit") return digitAction(action.digit);
  if (action?.type === "backspace" || action?.type === "delete") return { type: "unmark" };
  if (action) return SHARED.has(action.type) ? action : null;
  if (!takesSingleKeys(press, context)) return null;
  if (press.key === " ") return context.onControl ? null : { type: "toggle" };
  return LETTERS[letterOf(press) ?? ""] ?? null;
}

/** @param {number} digit */
function digitAction(digit) {
  if (digit === 1) return { type: "toggle" };
  return digit === 0 ? { type: "no_errors" } : null;
}

/**
 * The action of a click on a target: "toggle:missing.limbs", "doubt:missing.limbs", "none".
 * @param {string} target
 * @returns {any}
 */
export function clickAction(target) {
  const [what, key = ""] = target.split(":");
  if (what === "toggle" || what === "doubt") return { type: what, cell: cellAt(key) };
  if (target === "yes" || target === "no") return { type: target };
  const action = wholeImageAction(target);
  return action && SHARED_CLICKS.has(action.type) ? action : null;
}

/** @param {Element} target */
export function focusAction(target) {
  const cell = /** @type {HTMLElement | null} */ (target.closest("[data-cell]"))?.dataset.cell;
  return cell ? { type: "focus.cell", cell: cellAt(cell) } : { type: "focus.away" };
}
