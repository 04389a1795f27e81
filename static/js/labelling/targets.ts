// Clickable elements that all protocols share carry a target name, such as "submit" or "zoom.in".

import type { Action } from "./actions.ts";

/** The numbers of a keypad and the current one. It also has a field, for numbers up to `upTo`. */
export type Keypad = { target: string; least: number; most: number; current: number | null; upTo?: number };

const PLAIN: Readonly<Record<string, Action>> = {
  none: { type: "no_errors" },
  submit: { type: "submit" },
  undo: { type: "undo" },
  redo: { type: "redo" },
  note: { type: "open", dialog: "note" },
  flag: { type: "open", dialog: "flag" },
  ask: { type: "open", dialog: "ask" },
  help: { type: "open", dialog: "help" },
  guideline: { type: "open", dialog: "guideline" },
  settings: { type: "open", dialog: "settings" },
  previous: { type: "navigate", by: -1 },
  next: { type: "navigate", by: 1 },
  zoom: { type: "zoom" },
  "zoom.in": { type: "zoom", by: 1 },
  "zoom.out": { type: "zoom", by: -1 },
  "walk.next": { type: "walk", by: 1 },
  "walk.previous": { type: "walk", by: -1 },
};

/** The action of a target that concerns the whole image; null for any other target. */
export const wholeImageAction = (target: string): Action | null =>
  (Object.hasOwn(PLAIN, target) ? (PLAIN[target] ?? null) : null);
