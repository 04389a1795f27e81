// Map key presses and clicks to actions. Actions on the whole image are shared with the other protocols.

import { keyAction as sharedKey, letterOf, takesSingleKeys } from "../labelling/keys.js";
import { wholeImageAction } from "../labelling/targets.js";

/** @import { KeyContext, KeyPress } from "../labelling/keys.js" */

const SHARED = new Set(["digit", "enter", "escape", "navigate", "open", "undo", "submit", "close", "confirm", "choose"]);
const SHARED_CLICKS = new Set(["submit", "undo", "open", "navigate"]);

/** Actions that rate or submit the image that is shown. */
export const ANSWERS = new Set(["digit", "rate", "invalid", "enter", "submit"]);

/**
 * @param {KeyPress} press
 * @param {KeyContext} context
 * @returns {any} null leaves the key to the browser
 */
export function keyAction(press, context) {
  const action = sharedKey(press, context);
  // A held key rates only once and undoes only once.
  if (action?.type === "undo" && press.repeat) return null;
  // Realism has no cells, so there is no guideline for one.
  if (action?.type === "open" && action.dialog === "guideline") return null;
  if (action?.type === "backspace") return press.repeat ? null : { type: "undo" };
  if (action) return SHARED.has(action.type) ? action : null;
  const letter = letterOf(press);
  if (!takesSingleKeys(press, context)) return null;
  if (letter === "i") return { type: "invalid" };
  return letter === "z" ? { type: "undo" } : null;
}

/**
 * The action of a click on a target: "rate:7", "invalid:no_person", "submit".
 * @param {string} target
 * @returns {any}
 */
export function clickAction(target) {
  const [what, value = ""] = target.split(":");
  if (what === "rate") return { type: "rate", rating: Number(value) };
  if (what === "invalid") return { type: "invalid", reason: value };
  const action = wholeImageAction(target);
  return action && SHARED_CLICKS.has(action.type) ? action : null;
}
