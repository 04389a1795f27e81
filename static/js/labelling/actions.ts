// What a key or a click can mean, and what an action asks of the page. A protocol takes the actions that it knows.

import type { Cell, Severity } from "./taxonomy.ts";

export type MarkName = { readonly cell: Cell; readonly severity: Severity };

export type DialogName = "note" | "flag" | "ask" | "help" | "guideline" | "settings";

/** A type, and what the act of that name reads: first of all those of keys, whose meaning depends on the focus. */
export type Action = { readonly type: string; readonly [what: string]: any };

/**
 * save: the annotation has changed. focus: move the focus to its place. withdraw: undo the last submission. again: carry
 * out another action. edit: what only the view knows. The page carries out all others.
 */
export type Effect = Action;
