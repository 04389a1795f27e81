// Map key presses, clicks and the focus to actions. Navigation and what concerns the whole image are shared.

import { ARROWS, entryOf, keyAction as sharedKey, letterOf, takesSingleKeys } from "../labelling/keys.ts";
import type { KeyContext, KeyPress } from "../labelling/keys.ts";
import { wholeImageAction } from "../labelling/targets.ts";

const SHARED = new Set(["arrow", "enter", "escape", "navigate", "undo", "redo", "submit", "close", "confirm", "choose", "digit", "delete", "backspace"]);
const DIALOGS = new Set(["note", "flag", "ask", "help"]);

/** What a held key repeats. */
const REPEATING = new Set(["resize", "zoom", "undo", "arrow"]);
const STEP = 1.2;

const LETTERS: Readonly<Record<string, any>> = {
  p: { type: "tool", tool: "outline" },
  b: { type: "tool", tool: "brush" },
  e: { type: "erase" },
  h: { type: "holes" },
  a: { type: "add" },
  t: { type: "kind", kind: "structural" },
  l: { type: "kind", kind: "logical" },
  w: { type: "write" },
  z: { type: "undo" },
  y: { type: "redo" },
  f: { type: "zoom" },
  v: { type: "hide", on: true },
  c: { type: "letter" },
  o: { type: "letter" },
};

const SIGNS: Readonly<Record<string, any>> = {
  "[": { type: "resize", by: 1 / STEP },
  "]": { type: "resize", by: STEP },
  "+": { type: "zoom", by: 1 },
  "=": { type: "zoom", by: 1 },
  "-": { type: "zoom", by: -1 },
  "−": { type: "zoom", by: -1 },
};

/** null leaves the key to the browser. */
export function keyAction(press: KeyPress, context: KeyContext): any {
  if (context.inText && !context.dialog && press.key === "Escape") return press.repeat ? null : { type: "leave" };
  const own = ownAction(press, context);
  if (own) return press.repeat && !REPEATING.has(own.type) ? null : own;
  const action = sharedKey(press, context);
  if (!action) return null;
  if (action.type === "open") return DIALOGS.has(action.dialog) ? action : null;
  return SHARED.has(action.type) ? action : null;
}

function ownAction(press: KeyPress, context: KeyContext): any {
  if (context.inText || context.dialog || !context.inArea || press.ctrlKey || press.metaKey) return null;
  const arrow = entryOf(ARROWS, press.key);
  if (arrow) return { type: "arrow", right: arrow[0], down: arrow[1], fine: press.altKey ?? false };
  if (press.altKey && !press.getModifierState?.("AltGraph")) return null;
  if (press.key === "Enter" && press.shiftKey && !context.onControl) return { type: "close_outline" };
  if (press.key === " ") return context.onControl ? null : { type: "pan", on: true };
  if (!takesSingleKeys({ ...press, repeat: false, altKey: false }, context)) return null;
  const letter = letterOf(press) ?? "";
  return SIGNS[press.key] ?? (LETTERS[letter] ? { ...LETTERS[letter], letter } : null);
}

/** The action of a click on a target: "defect:d2", "kind:logical", "effect:1", "tool:brush", "holes", "reject:0". */
export function clickAction(target: string): any {
  const [what, value = ""] = target.split(":");
  if (what === "defect") return { type: "focus.cell", cell: value };
  if (what === "kind" || what === "tool") return { type: what, [what]: value };
  if (what === "suggestion") return { type: "suggestion.take", place: Number(value) };
  if (what === "reject") return { type: "suggestion.reject", place: Number(value) };
  if (what === "effect") return { type: "effect", effect: Number(value) };
  if (what === "hide") return { type: "hide" };
  if (target === "erase" || target === "holes" || target === "add" || target === "delete") return { type: target };
  return wholeImageAction(target);
}

export function focusAction(target: Element, state: { writing: boolean }) {
  const card = target.closest<HTMLElement>("[data-defect]");
  if (card && target.matches("textarea")) return { type: "focus.cell", cell: card.dataset.defect, writing: true };
  return state?.writing ? { type: "focus.away" } : null;
}
