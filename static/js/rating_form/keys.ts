// Map key presses and changes of inputs to actions. Actions on the whole image are shared with the other protocols.

import { keyAction as sharedKey, type KeyContext, type KeyPress } from "../labelling/keys.ts";

const KEPT = new Set(["key", "write", "enter", "escape", "navigate", "open", "undo", "submit", "close", "confirm", "choose"]);

const LETTERS: Readonly<Record<string, { type: string; key?: string }>> = { i: { type: "key", key: "i" }, u: { type: "key", key: "u" }, t: { type: "write" }, z: { type: "undo" } };

/** What a field of a number keeps; and a slider. */
const IN_FIELD = /^([0-9.,−-]|Backspace|Delete|Home|End|ArrowLeft|ArrowRight)$/;
const ON_SLIDER = /^(Home|End|ArrowLeft|ArrowRight)$/;

/** Actions that answer or submit the image that is shown. */
export const ANSWERS = new Set(["key", "answer", "step", "enter", "submit"]);

/** Null leaves the key to the browser. */
export function keyAction(press: KeyPress, context: KeyContext): any {
  const { dialog, input = "" } = context;
  const ofNumber = !dialog && (input === "text" || input === "range");
  if (ofNumber && !press.ctrlKey && !press.metaKey && (input === "text" ? IN_FIELD : ON_SLIDER).test(press.key)) return null;
  if (!dialog && input === "textarea" && press.key === "Escape" && !press.isComposing) return { type: "escape" };
  // Letters mean nothing in a number, so they keep what they mean elsewhere.
  const here = ofNumber ? { ...context, inText: false } : context;
  const action = sharedKey(press, here, (_, letter) => LETTERS[letter ?? ""] ?? null);
  if (action?.type === "digit") return { type: "key", key: String(action.digit) };
  if (action?.type === "arrow") return action.down ? { type: "walk", by: action.down } : { type: "step", by: action.right };
  if (action?.type === "backspace") return press.repeat ? null : action;
  // A held key undoes only once. A form has no cells, so there is no guideline for one.
  if (!action || (action.type === "undo" && press.repeat) || (action.type === "open" && action.dialog === "guideline")) return null;
  return KEPT.has(action.type) ? action : null;
}

/** The action of a change in one of the items. */
export function inputAction(target: Element): any {
  const box = target.closest<HTMLElement>("[data-item]");
  if (!box) return null;
  const { type, value, checked } = target as HTMLInputElement;
  const item = box.dataset["item"];
  if (type === "checkbox" && value !== "cannot_judge") return { type: "tick", item, value };
  if (type === "checkbox" || type === "radio") return { type: "answer", item, value: checked ? value : "" };
  return { type: "typed", item, value };
}
